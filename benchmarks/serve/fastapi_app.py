"""The peer: FastAPI before scikit-learn's TF-IDF and logistic regression, as both are documented.

The handler is `async`: one that is not has to go to a thread and back, which costs more.
"""

import os
import pickle
from pathlib import Path

from fastapi import FastAPI
from pydantic import BaseModel

model = pickle.loads(Path(os.environ["BENCHMARKS_MODEL"]).read_bytes())
classes = [str(label) for label in model.classes_]
app = FastAPI()


class Asked(BaseModel):
    rows: list[str]


class Prediction(BaseModel):
    label: str
    probabilities: dict[str, float]


class Predictions(BaseModel):
    predictions: list[Prediction]


@app.post("/predict")
async def predict(asked: Asked) -> Predictions:
    probabilities = model.predict_proba(asked.rows)
    places = probabilities.argmax(axis=1).tolist()
    found = [
        Prediction(label=classes[place], probabilities=dict(zip(classes, row, strict=True)))
        for place, row in zip(places, probabilities.tolist(), strict=True)
    ]
    return Predictions(predictions=found)
