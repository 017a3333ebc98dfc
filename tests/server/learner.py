"""Learns and forgets until it is killed, and says what was acknowledged: see `test_kills`."""

import itertools
import json
import random
import sys
from pathlib import Path

from likely.server.living import LivingModel


def main(path: Path, run: int) -> None:
    model = LivingModel(path)
    live = [row.cells["text"] for row in model.ask(lambda _: model.journal.live_rows())]
    print(json.dumps({"live": live, "rows": model.served.classifier.tally.n_rows}), flush=True)
    draw = random.Random(run)
    for n in itertools.count():
        if live and draw.random() < 0.3:
            text = live.pop(draw.randrange(len(live)))
            print(json.dumps({"forgets": text}), flush=True)
            model.forget([{"text": text}], ["spam"]).result()
        else:
            text = f"row{run}x{n} prize"
            print(json.dumps({"learns": text}), flush=True)
            model.learn([{"text": text}], ["spam"]).result()
            live.append(text)
        print(json.dumps({"done": text}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
