"""Numbers as the page shows them, from exact ones, by other means than its own."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown(p, digits=4):
    """Four digits that count; fewer where these are exact."""
    if not p:
        return "0"
    p = Fraction(p)
    power = len(str(p.numerator)) - len(str(p.denominator))
    power -= p < Fraction(10) ** power
    scaled = p / Fraction(10) ** (power - digits + 1)
    whole = int(scaled + Fraction(1, 2))
    number = Decimal(whole).scaleb(power - digits + 1)
    if whole == 10**digits:
        power += 1
    if scaled.denominator == 1:
        number = number.normalize()
    elif whole == 10**digits:
        number = number.quantize(Decimal(1).scaleb(power - digits + 1))
    if power < -3 or power > 6:
        mantissa = format(number.scaleb(-power), "f")
        return f"{mantissa}·10{str(power).translate(RAISED)}"
    return format(number, "f")


def rounded(number):
    """A float, with four digits that count."""
    return shown(Fraction(number))


def places(number, digits=4):
    """A float, with so many places after the point."""
    if number in (float("inf"), float("-inf")):
        return "−∞" if number < 0 else "∞"
    fixed = Decimal(float(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return format(fixed if fixed else abs(fixed), "f").replace("-", "−")


def ratio(top, bottom):
    """As on the blackboard: not in lowest terms, unless the parts have many decimals."""
    top, bottom = Fraction(top), Fraction(bottom)
    if 1000 % top.denominator or 1000 % bottom.denominator:
        return str(top / bottom)
    return f"{shown(top, 9)}/{shown(bottom, 9)}"
