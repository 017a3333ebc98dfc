//! Numbers with decimal commas, as many countries write them.

use std::borrow::Cow;

/// What a cell is, as far as the mark before its decimals goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// No mark, as in `12` or `1e5`.
    Whole,
    /// `1.5`
    Point,
    /// `1,5`; `1,234` could also be a thousand.
    Comma { could_be_thousands: bool },
    /// No number, or one with more marks than one.
    Other,
}

/// What a cell without spaces around it is.
pub(crate) fn written(cell: &str) -> Written {
    let unsigned = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let (body, power) = match unsigned.split_once(['e', 'E']) {
        Some((body, power)) => (body, Some(power.strip_prefix(['+', '-']).unwrap_or(power))),
        None => (unsigned, None),
    };
    let (whole, mark, behind) = match body.find(['.', ',']) {
        Some(place) => (&body[..place], body.as_bytes().get(place), &body[place + 1..]),
        None => (body, None, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let sound = digits(whole)
        && digits(behind)
        && whole.len() + behind.len() > 0
        && power.is_none_or(|power| !power.is_empty() && digits(power));
    match mark {
        _ if !sound => Written::Other,
        None => Written::Whole,
        Some(b'.') => Written::Point,
        Some(_) => Written::Comma {
            could_be_thousands: power.is_none()
                && (1..=3).contains(&whole.len())
                && !whole.starts_with('0')
                && behind.len() == 3,
        },
    }
}

/// A cell, with a point if it is a number with a comma.
pub(crate) fn pointed(text: &str) -> Cow<'_, str> {
    match written(text.trim()) {
        Written::Comma { .. } => Cow::Owned(text.replace(',', ".")),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_mark_at_most() {
        for cell in ["0", "-12", "+3", "1e5", "007"] {
            assert_eq!(written(cell), Written::Whole, "{cell}");
        }
        for cell in ["1.5", "-.5", "5.", "1.5e-3", "1.234"] {
            assert_eq!(written(cell), Written::Point, "{cell}");
        }
        for cell in
            ["1,5", "-169,17", ",5", "5,", "1,5E+3", "0,125", "1234,567", "1,2345", "1,234e2"]
        {
            assert_eq!(written(cell), Written::Comma { could_be_thousands: false }, "{cell}");
        }
        for cell in ["1,234", "-12,345", "+999,000"] {
            assert_eq!(written(cell), Written::Comma { could_be_thousands: true }, "{cell}");
        }
        for cell in [
            "",
            ",",
            ".",
            "-",
            "e5",
            "1e",
            "1,2,3",
            "1.234,5",
            "1,234.5",
            "31.12.2024",
            "1 5",
            "١,٥",
            "inf",
            "1,5 kg",
        ] {
            assert_eq!(written(cell), Written::Other, "{cell}");
        }
    }

    #[test]
    fn only_decimal_commas_become_points() {
        for (cell, one) in [("169,17", "169.17"), (" -1,5e3", " -1.5e3"), ("1,234", "1.234")] {
            assert_eq!(pointed(cell), one);
        }
        for cell in ["1.5", "1.234,5", "a,b", "1,2,3", ""] {
            assert_eq!(pointed(cell), cell);
        }
    }
}
