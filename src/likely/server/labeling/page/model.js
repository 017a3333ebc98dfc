// The report about the model, in a frame.

import { byId, several } from "./dom.js";
import { state } from "./state.js";

let shown = null;

export async function open() {
  const { learned, labels, is_tuned: isTuned, model, sequence } = state;
  byId("model-said").textContent = `${model} has learned ${several(learned, "row")} with ${several(labels.length, "label")}. ${isTuned ? "It is tuned, and will be again when it has grown by a quarter." : "It is tuned once it has learned 20 rows of two labels."}`;
  if (shown === sequence) return;
  shown = sequence;
  byId("report-note").textContent = "The report is being made …";
  let found = "";
  try {
    const answer = await fetch("/report");
    found = answer.ok ? "" : (await answer.json()).error.message;
  } catch {
    found = "the server does not answer";
    shown = null;
  }
  byId("report-note").textContent = found && `${found[0].toUpperCase()}${found.slice(1)}.`;
  for (const part of ["report", "report-link", "report-bias"]) byId(part).hidden = Boolean(found);
  if (!found) byId("report").src = `/report?${sequence}`;
}
