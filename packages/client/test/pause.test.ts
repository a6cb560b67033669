import { pause } from '../src/internal/pause.js';

const { jest } = import.meta;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
  ['after its time', () => jest.advanceTimersByTime(100)],
  ['at an abort', (leave: AbortController) => leave.abort()],
])('ends %s, without a timer or a listener', async (_title, end) => {
  const leave = new AbortController();
  const remove = jest.spyOn(leave.signal, 'removeEventListener');
  const paused = pause(100, leave.signal);
  expect(jest.getTimerCount()).toBe(1);
  end(leave);
  await paused;
  expect([jest.getTimerCount(), remove.mock.calls.length]).toEqual([0, 1]);
});

it('does not wait for a caller that has left', async () => {
  await pause(100, AbortSignal.abort());
  expect(jest.getTimerCount()).toBe(0);
});
