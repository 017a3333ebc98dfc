//! The one spelling of a cell.
//!
//! Readers differ in what they make of a file: `TRUE` becomes a truth value for one and stays a text for
//! another, 1 becomes 1.0 where a cell of the column is missing. So a text that is a number, a truth value
//! or a moment is spelled in one way, and every other text as it is. `likely.spelling` specifies it.

use std::borrow::Cow;

/// The spelling of a cell, given any text that stands for it.
pub(crate) fn spelled(text: &str) -> Cow<'_, str> {
    let cell = text.trim();
    let found = match cell.as_bytes().first() {
        Some(b't' | b'T' | b'f' | b'F') => truth(cell).map(Cow::Borrowed),
        Some(b'0'..=b'9') => number(cell).or_else(|| moment(cell).map(Cow::Owned)),
        Some(b'+' | b'-' | b'.') => number(cell),
        _ => None,
    };
    found.unwrap_or(Cow::Borrowed(text))
}

fn truth(cell: &str) -> Option<&'static str> {
    ["true", "false"].into_iter().find(|known| cell.eq_ignore_ascii_case(known))
}

/// A truth value as a number.
pub(crate) fn truth_number(cell: &str) -> Option<f64> {
    truth(cell).map(|known| f64::from(u8::from(known == "true")))
}

/// Whole numbers by their digits, others by the fewest that tell a 64-bit number from its neighbours.
fn number(cell: &str) -> Option<Cow<'_, str>> {
    let unsigned = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    // Zeros at the front make a code of a number.
    if whole > 1 && unsigned.starts_with('0') {
        return None;
    }
    if rest.is_empty() {
        let zero = unsigned == "0";
        return (whole > 0)
            .then(|| Cow::Borrowed(if zero { "0" } else { cell.trim_start_matches('+') }));
    }
    if let Some(behind) = rest.strip_prefix('.') {
        let some = digits(behind);
        if whole + some == 0 {
            return None;
        }
        rest = &behind[some..];
    }
    if let Some(power) = rest.strip_prefix(['e', 'E']) {
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        let some = digits(power);
        if whole == 0 && !unsigned.starts_with('.') || some == 0 {
            return None;
        }
        rest = &power[some..];
    }
    let value: f64 = cell.parse().ok()?;
    if !rest.is_empty() || !value.is_finite() {
        return None;
    }
    // Zero has no sign, and a whole number has the digits that it has as an integer.
    let is_whole = value.fract() == 0.0 && value.abs() < 2f64.powi(64);
    Some(Cow::Owned(if is_whole { (value as i128).to_string() } else { value.to_string() }))
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// A date, a time of day or both: `2026-01-31`, `09:30`, `2026-01-31T09:30:15.5`; in UTC if a zone is given.
fn moment(cell: &str) -> Option<String> {
    let mut rest = cell;
    if cell.as_bytes().get(2) == Some(&b':') {
        let time = Time::read(&mut rest)?;
        return rest.is_empty().then(|| time.to_string());
    }
    let year = i64::from(field(&mut rest, 4)?);
    rest = rest.strip_prefix('-')?;
    let month = field(&mut rest, 2)?;
    rest = rest.strip_prefix('-')?;
    let day = field(&mut rest, 2)?;
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    if rest.is_empty() {
        return Some(cell.to_string());
    }
    rest = rest.strip_prefix(['T', ' '])?;
    let mut time = Time::read(&mut rest)?;
    if rest.is_empty() {
        let date = format!("{year:04}-{month:02}-{day:02}");
        return Some(if time.is_midnight() { date } else { format!("{date}T{time}") });
    }
    let ahead = offset(rest)?;
    let minutes = i64::from(time.minute) - ahead;
    time.minute = u32::try_from(minutes.rem_euclid(24 * 60)).ok()?;
    let (year, month, day) = moved(year, month, day, minutes.div_euclid(24 * 60));
    Some(format!("{year:04}-{month:02}-{day:02}T{time}Z"))
}

/// By how many minutes a zone is ahead of UTC: `Z`, `+02`, `+0200`, `+02:00`.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let mut rest = zone.strip_prefix(['+', '-'])?;
    let hours = field(&mut rest, 2)?;
    rest = rest.strip_prefix(':').unwrap_or(rest);
    let minutes = if rest.is_empty() { 0 } else { field(&mut rest, 2)? };
    let sound = rest.is_empty() && hours < 24 && minutes < 60;
    sound.then(|| sign * i64::from(hours * 60 + minutes))
}

/// The date so many days later: at most one, in either direction.
fn moved(year: i64, month: u32, day: u32, days: i64) -> (i64, u32, u32) {
    match days {
        1 if day < days_in(year, month) => (year, month, day + 1),
        1 if month < 12 => (year, month + 1, 1),
        1 => (year + 1, 1, 1),
        -1 if day > 1 => (year, month, day - 1),
        -1 if month > 1 => (year, month - 1, days_in(year, month - 1)),
        -1 => (year - 1, 12, 31),
        _ => (year, month, day),
    }
}

fn days_in(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A number of so many digits, taken from the front of a text.
fn field(rest: &mut &str, width: usize) -> Option<u32> {
    let found = rest.get(..width).filter(|found| digits(found) == width)?;
    *rest = &rest[width..];
    found.parse().ok()
}

/// A time of day; `fraction` has the digits of a second behind the point, without zeros at the end.
struct Time<'a> {
    minute: u32,
    second: u32,
    fraction: &'a str,
}

impl<'a> Time<'a> {
    fn read(rest: &mut &'a str) -> Option<Self> {
        let hour = field(rest, 2)?;
        *rest = rest.strip_prefix(':')?;
        let minute = field(rest, 2)?;
        let (mut second, mut fraction) = (0, "");
        if let Some(behind) = rest.strip_prefix(':') {
            *rest = behind;
            second = field(rest, 2)?;
            if let Some(behind) = rest.strip_prefix('.') {
                let some = digits(behind);
                fraction = behind[..some].trim_end_matches('0');
                *rest = &behind[some..];
                if some == 0 {
                    return None;
                }
            }
        }
        let sound = hour < 24 && minute < 60 && second < 60;
        sound.then_some(Time { minute: hour * 60 + minute, second, fraction })
    }

    fn is_midnight(&self) -> bool {
        self.minute == 0 && self.second == 0 && self.fraction.is_empty()
    }
}

impl std::fmt::Display for Time<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:02}:{:02}", self.minute / 60, self.minute % 60)?;
        if self.second > 0 || !self.fraction.is_empty() {
            write!(out, ":{:02}", self.second)?;
        }
        if !self.fraction.is_empty() {
            write!(out, ".{}", self.fraction)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_is_spelled_the_same() {
        for (texts, one) in [
            (&["true", "True", "TRUE", " TRUE "][..], "true"),
            (&["false", "False", "FALSE"], "false"),
            (&["1", "1.0", "+1", "1.", "1e0", " 1", "10e-1"], "1"),
            (&["0", "-0", "0.0", "-0.0", "0e5", "+0"], "0"),
            (&["0.5", ".5", "0.50", "5e-1", "+.5"], "0.5"),
            (&["-2.5", "-2.50", "-25e-1"], "-2.5"),
            (&["1000", "1e3", "1E+3", "1000.0"], "1000"),
            (&["1e23", "1.0e+23"], "100000000000000000000000"),
            (&["1152921504606846976", "1.152921504606847e+18"], "1152921504606846976"),
            (&["2026-01-31", "2026-01-31 00:00:00", "2026-01-31T00:00"], "2026-01-31"),
            (&["2026-01-31T09:30", "2026-01-31 09:30:00.000"], "2026-01-31T09:30"),
            (&["2026-01-31T09:30:15.5", "2026-01-31 09:30:15.500000000"], "2026-01-31T09:30:15.5"),
            (&["2025-12-31T23:30Z", "2026-01-01 01:30:00+02:00"], "2025-12-31T23:30Z"),
            (&["2024-02-29T23:30-0100", "2024-03-01T00:30Z"], "2024-03-01T00:30Z"),
            (&["09:30", "09:30:00", "09:30:00.000"], "09:30"),
        ] {
            for text in texts {
                assert_eq!(spelled(text), one, "{text}");
            }
            assert_eq!(spelled(one), one, "a spelling is its own");
        }
    }

    #[test]
    fn every_other_text_is_spelled_as_it_is() {
        for text in [
            "",
            " ",
            "T",
            "yes",
            "truely",
            "on",
            "007",
            "00.5",
            "-01",
            "1_000",
            "1,5",
            "1 2",
            "e5",
            ".",
            "+",
            "-",
            "1e",
            "1e+",
            ".e5",
            "+.e1",
            "1e999",
            "0x10",
            "inf",
            "nan",
            "1.2.3",
            "2026-02-30",
            "2026-13-01",
            "2026-1-1",
            "26-01-01",
            "2026-01-31x",
            "2026-01-31T24:00",
            "2026-01-31T09:30+9",
            "9:30",
            "09:60",
            "2026-01-31T09:30:15.",
            "١",
            "true story",
            " a ",
            "2é26-01-01",
            "09:3é",
        ] {
            assert_eq!(spelled(text), text);
        }
        let long = "9".repeat(10_000);
        assert_eq!(spelled(&long), long);
    }
}
