/* SPDX-License-Identifier: MIT */
document.title = data.title;
document.getElementById("title").textContent = data.title;
if (data.survey)
  showSurvey(data.survey);
else if (data.consistency)
  showConsistency();
else
  data.estimates.forEach(show);
