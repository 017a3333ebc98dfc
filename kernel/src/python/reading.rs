//! How a text is read, as Python says it.

use super::raise;
use super::texts::Texts;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::text::lexicon::{Entry, Lexicon, polarity};
use crate::text::reading::{Negation, Reading};
use crate::text::stems::Language;
use crate::text::surface_features::SurfaceFeatures;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How a text is read. Made once, and handed to whatever reads.
#[pyclass(frozen, name = "Reading", module = "likely._kernel")]
pub(crate) struct PyReading {
    pub(crate) reading: Reading,
}

type Range = Option<(usize, usize)>;

/// (negators, ends, unless, one_word)
type NegationLists = (Vec<String>, Vec<String>, Vec<String>, bool);

/// (categories, [(phrase, places of its categories, polarity)])
type LexiconEntries = (Vec<String>, Vec<(String, Vec<u32>, f64)>);

#[pymethods]
impl PyReading {
    #[new]
    #[pyo3(signature = (word_ngrams=None, char_ngrams=None, lowercase=false, *, normalize=false,
                        punctuation=false, surface_features=vec![], negation=None, stop_words=vec![],
                        stem=None, lexicon=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        word_ngrams: Range,
        char_ngrams: Range,
        lowercase: bool,
        normalize: bool,
        punctuation: bool,
        surface_features: Vec<String>,
        negation: Option<NegationLists>,
        stop_words: Vec<String>,
        stem: Option<&str>,
        lexicon: Option<LexiconEntries>,
    ) -> PyResult<Self> {
        let wrong = |message: String| raise(py, "OptionError", message);
        let Some(surface_features) = SurfaceFeatures::named(&surface_features) else {
            return Err(wrong(format!(
                "surface features are {}, not {surface_features:?}",
                SurfaceFeatures::NAMES.join(", ")
            )));
        };
        let language = |name: &str| {
            let known = || Language::names().join(", ");
            Language::named(name)
                .ok_or_else(|| wrong(format!("there are stems for {}, not {name:?}", known())))
        };
        let negation = negation.map(|(negators, ends, unless, one_word)| Negation {
            negators,
            ends,
            unless,
            one_word,
        });
        let entry = |(phrase, categories, polarity)| Entry { phrase, categories, polarity };
        let lexicon = lexicon.map(|(categories, entries)| Lexicon {
            categories,
            entries: entries.into_iter().map(entry).collect(),
        });
        let categories = lexicon.as_ref().map_or(0, |lexicon| lexicon.categories.len());
        let mut places = lexicon.iter().flat_map(|lexicon| &lexicon.entries);
        if places.any(|entry| entry.categories.iter().any(|&place| place as usize >= categories)) {
            return Err(wrong("an entry of the lexicon has a category that is not there".into()));
        }
        let reading = Reading {
            word_ngrams,
            char_ngrams,
            lowercase,
            normalize,
            punctuation,
            surface_features,
            negation,
            stop_words,
            stem: stem.map(language).transpose()?,
            lexicon,
        };
        Ok(PyReading { reading })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let reading = &self.reading;
        let options = PyDict::new(py);
        options.set_item("word_ngrams", reading.word_ngrams)?;
        options.set_item("char_ngrams", reading.char_ngrams)?;
        options.set_item("lowercase", reading.lowercase)?;
        options.set_item("normalize", reading.normalize)?;
        options.set_item("punctuation", reading.punctuation)?;
        options.set_item("surface_features", reading.surface_features.names())?;
        let negation = reading.negation.clone();
        options
            .set_item("negation", negation.map(|n| (n.negators, n.ends, n.unless, n.one_word)))?;
        options.set_item("stop_words", &reading.stop_words)?;
        options.set_item("stem", reading.stem.as_ref().map(Language::name))?;
        let entry = |entry: Entry| (entry.phrase, entry.categories, entry.polarity);
        let lexicon = reading.lexicon.clone();
        options.set_item(
            "lexicon",
            lexicon.map(|lexicon| {
                let entries: Vec<_> = lexicon.entries.into_iter().map(entry).collect();
                (lexicon.categories, entries)
            }),
        )?;
        Ok(((), options))
    }

    /// The features of a text as people see them, kind by kind.
    fn features(&self, py: Python<'_>, text: &Texts) -> PyResult<Vec<Vec<String>>> {
        text.with(py, |texts| {
            check_lengths(texts)?;
            let nothing = TextCounts::zero(&self.reading, 0);
            let mut reader = nothing.features().reader();
            let text = texts.concat();
            nothing.features().read(&mut reader, &text);
            let named = self.reading.kinds().into_iter().zip(reader.names(&text));
            Ok(named
                .filter(|(kind, _)| self.reading.counts(*kind))
                .map(|(_, names)| names)
                .collect())
        })
    }

    /// The net polarity of each text by the lexicon.
    fn polarity<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = texts.with(py, |texts| polarity(&self.reading, texts, threads))?;
        Ok(values.into_pyarray(py))
    }
}
