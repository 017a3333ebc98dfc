import pytest

pytest.importorskip("dask.dataframe", reason="`likely.dask` needs Dask")
pytest.importorskip("distributed", reason="`likely.dask` is tried on a cluster of Dask's, too")
