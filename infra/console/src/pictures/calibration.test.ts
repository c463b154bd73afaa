import { expect, test } from 'vitest';
import { calibrationPoints, calibrationWords } from './calibration';

const high = { from: 0.8, to: 0.9, forecasts: 12, meanForecast: 0.84, hitRate: 0.75 };
const low = { from: 0.4, to: 0.5, forecasts: 7, meanForecast: 0.46, hitRate: 0 };
const unknown = { from: 0.9, to: 1, forecasts: 0, meanForecast: null, hitRate: null };

test('points stand in the order of their forecasts, without those that have no outcome', () => {
  expect(calibrationPoints([high, unknown, low])).toEqual([
    { forecast: 0.46, outcome: 0 },
    { forecast: 0.84, outcome: 0.75 },
  ]);
});

test('the sentence says every row, and what was not measured', () => {
  expect(calibrationWords([low, high, unknown])).toBe(
    'Forecasts against outcomes, from the least probable up: forecast 46 %, came true 0 % of 7; forecast 84 %, came true 75 % of 12; ' +
      'forecast not measured, came true not measured of 0.',
  );
});
