import pytest

pytest.importorskip("sklearn", reason="`likely.sklearn` needs scikit-learn")
