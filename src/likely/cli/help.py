"""Help pages: a sentence, examples, details, then the options in groups."""

import inspect

import click

# In which group an option is listed; what is not named here is particular to a command.
_GROUPS = {
    "Data": (
        *("target", "multilabel", "label_separator"),
        *("text", "numeric", "categorical", "date", "vectors"),
        *("drop_column", "drop_label", "missing", "unlabeled", "unlabeled_weight", "plan_file"),
        *("encoding", "decimal"),
    ),
    "Text": (
        *("task", "word_ngrams", "char_ngrams", "negation", "stop_words", "stem", "tfidf"),
        *("surface_features", "lexicon"),
    ),
    "Model": (
        *(
            "model",
            "plain",
            "one_vs_rest",
            "stack_linear",
            "alpha",
            "m",
            "category_prior",
            "joint",
            "prior",
        ),
        *("thresholds", "rules"),
    ),
    "Output": ("output", "report", "force", "html_file", "threads", "as_json"),
}
_PLACES = {name: place for names in _GROUPS.values() for place, name in enumerate(names)}
_LAST = len(_PLACES)
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names}

# Shorter lists of options need no groups.
_MOST_UNGROUPED = 16


class HelpPage(click.Command):
    """A command whose help shows examples before details, and many options in groups."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence, the examples, and what else there is to know."""
        first, *others = inspect.cleandoc(self.help or "").split("\n\n")
        examples = [part for part in others if part.startswith("\b")]
        _write(formatter, first)
        if examples:
            with formatter.section("Examples"):
                for line in examples[0].split("\n")[1:]:
                    formatter.write(f"{line}\n")
        for part in others:
            if part not in examples:
                _write(formatter, part)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, in groups where there are many."""
        params = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        groups: dict[str, list[click.Option]] = {"Options": params}
        if len(params) > _MOST_UNGROUPED:
            groups = {group: [] for group in ("Options", *_GROUPS)}
            for param in sorted(params, key=lambda param: _PLACES.get(param.name or "", _LAST)):
                is_help = "--help" in param.opts
                name = "Output" if is_help else _GROUP_OF.get(param.name or "", "Options")
                groups[name].append(param)
        for name, listed in groups.items():
            if listed:
                with formatter.section(name):
                    formatter.write_dl(
                        list(filter(None, (one.get_help_record(ctx) for one in listed)))
                    )


def _write(formatter: click.HelpFormatter, paragraph: str) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(paragraph)
