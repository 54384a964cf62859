/* SPDX-License-Identifier: MIT */
document.title = data.title;
document.getElementById("title").textContent = data.title;
const verdict = data.verdict ||
  (data.decisions && data.decisions.length === 1 && data.decisions[0].verdict);
if (verdict)
  document.getElementById("title").after(verdictOf(verdict));
/* A page has one of these, or caps and estimates. */
if (data.survey)
  showSurvey(data.survey);
if (data.consistency)
  showConsistency();
if (data.budgets)
  data.budgets.forEach(showBudget);
if (data.caps)
  data.caps.forEach(showCap);
if (data.tuning)
  showTuning();
if (data.watched)
  showWatched();
if (data.estimates)
  showEstimates();
