// Exact arithmetic: fractions of whole numbers of any size, and their decimals.

const LARGE = 1n << 256n;

/** A fraction n/d. Small ones are in lowest terms; large ones are brought there when shown. */
class Fraction {
  constructor(n, d = 1n) {
    if (d < 0n) [n, d] = [-n, -d];
    if (d !== 1n && d < LARGE && n < LARGE && -n < LARGE) {
      const g = divisor(n, d);
      [n, d] = [n / g, d / g];
    }
    this.n = n;
    this.d = d;
  }

  plus(other) {
    return new Fraction(this.n * other.d + other.n * this.d, this.d * other.d);
  }

  minus(other) {
    return new Fraction(this.n * other.d - other.n * this.d, this.d * other.d);
  }

  times(other) {
    return new Fraction(this.n * other.n, this.d * other.d);
  }

  /** a / b, where 0 / 0 is 0, as in `likely.textbook.ratio`. */
  over(other) {
    return other.n ? new Fraction(this.n * other.d, this.d * other.n) : ZERO;
  }

  is(other) {
    return this.n * other.d === other.n * this.d;
  }

  exceeds(other) {
    return this.n * other.d > other.n * this.d;
  }

  lowest() {
    const g = divisor(this.n, this.d);
    return [this.n / g, this.d / g];
  }

  /** The nearest floating-point number, so that `+fraction` is one. */
  valueOf() {
    const size = this.n < 0n ? -this.n : this.n;
    const shift = bits(this.d) - bits(size) + 66;
    const [n, d] = shift > 0 ? [size << BigInt(shift), this.d] : [size, this.d << BigInt(-shift)];
    // The last bit says that something follows, which is all that rounding has to know.
    const half = Math.trunc(shift / 2);
    const near = Number((n / d) | (n % d ? 1n : 0n)) * 2 ** -half * 2 ** (half - shift);
    return this.n < 0n ? -near : near;
  }

  toString() {
    const [n, d] = this.lowest();
    return d === 1n ? `${n}` : `${n}/${d}`;
  }
}

const ZERO = new Fraction(0n);
const ONE = new Fraction(1n);

const bits = (n) => 4 * n.toString(16).length;

function divisor(a, b) {
  if (a < 0n) a = -a;
  while (b) [a, b] = [b, a % b];
  return a || 1n;
}

/** The number as it is written: 0.1 is 1/10. */
function exact(number) {
  const found = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(String(number).trim());
  if (!found || !(found[2] + found[3])) throw new RangeError(`${number} is not a number`);
  const digits = BigInt(found[1] + "0" + found[2] + found[3]);
  const power = Number(found[4] ?? 0) - found[3].length;
  const scale = 10n ** BigInt(Math.abs(power));
  return power < 0 ? new Fraction(digits, scale) : new Fraction(digits * scale);
}

const sumOf = (fractions) => fractions.reduce((sum, one) => sum.plus(one), ZERO);
const productOf = (fractions) => fractions.reduce((product, one) => product.times(one), ONE);

/** log a/b = log a − log b, also of fractions too small for a float; log 0 = −∞. */
const log = (p) => logOfWhole(p.n) - logOfWhole(p.d);

function logOfWhole(n) {
  const excess = Math.max(0, bits(n) - 1000);
  return Math.log(Number(n >> BigInt(excess))) + excess * Math.LN2;
}

/** A fraction in decimals, rounded to so many digits that count; 3/5 is 0.6, 1/17 is 0.05882. */
function decimal(fraction, digits = 4) {
  if (!fraction.n) return "0";
  const sign = fraction.n < 0n ? "−" : "";
  const size = fraction.n < 0n ? -fraction.n : fraction.n;
  let power = Math.floor(log(new Fraction(size, fraction.d)) / Math.LN10);
  const scaled = () => {
    const shift = digits - 1 - power;
    const n = size * 10n ** BigInt(Math.max(0, shift));
    const d = fraction.d * 10n ** BigInt(Math.max(0, -shift));
    return { rounded: (2n * n + d) / (2n * d), isExact: n % d === 0n };
  };
  if (scaled().rounded < 10n ** BigInt(digits - 1)) power -= 1;
  if (scaled().rounded >= 10n ** BigInt(digits)) power += 1;
  const { rounded, isExact } = scaled();
  const figures = isExact ? String(rounded).replace(/0+$/, "") : String(rounded);
  if (power < -3 || power > 6) return `${sign}${pointed(figures, 1)}·10${raised(power)}`;
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${figures}`;
  return sign + pointed(figures, power + 1);
}

/** Figures with so many before the point. */
const pointed = (figures, n) =>
  n < figures.length ? `${figures.slice(0, n)}.${figures.slice(n)}` : figures.padEnd(n, "0");

const raised = (power) =>
  String(power).replace(/[-\d]/g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
