import t from 'tap';

import { QuestionForecast } from '../../../server/tables/reading/question-forecast.ts';

/** A question is refused early only where the time that there is is far too little for it. */

const rowCount = 10_000;
const milliseconds = 20_000;

t.test('a question that would take twice the time is hopeless after a second', async (t) => {
  const forecast = new QuestionForecast(rowCount, milliseconds);
  for (const [answered, isHopeless] of [
    [62, false],
    [125, false],
    [187, false],
    [250, true],
  ] as const) {
    forecast.note(answered, 250);
    t.equal(forecast.isHopeless, isHopeless, `with ${answered} rows`);
  }
});

t.test('one that might be answered in time goes on', async (t) => {
  const forecast = new QuestionForecast(rowCount, milliseconds);
  // As slow as it began it would take 100 seconds.
  forecast.note(25, 250);
  for (let turn = 1; turn <= 10; turn++) forecast.note(25 + turn * 100, 250);
  t.equal(forecast.isHopeless, false);
});

t.test('nothing is foreseen while no row is answered', async (t) => {
  const forecast = new QuestionForecast(rowCount, milliseconds);
  for (let turn = 0; turn < 40; turn++) forecast.note(0, 250);
  t.equal(forecast.isHopeless, false);
  forecast.note(5_000, 250);
  t.equal(forecast.isHopeless, false);
});
