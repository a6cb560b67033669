import { type LimitDecision, rateLimitHeaders, type WindowState } from '@sallyport/ratelimit';

const NOW = new Date('2023-11-14T22:00:00.000Z');
const minute: WindowState = {
  name: 'default-1m',
  windowMs: 60_000,
  limit: 100,
  currentCount: 58,
  remaining: 42,
  resetsAt: new Date('2023-11-14T22:00:16.001Z'),
};
const hour: WindowState = { ...minute, name: 'default-1h', windowMs: 3_600_000, limit: 1000, remaining: 900 };

function decision(windows: readonly WindowState[], more: Partial<LimitDecision> = {}): LimitDecision {
  return { ...(windows[0] ?? minute), windows, allowed: true, degraded: false, source: 'store', ...more };
}

describe('headers of a decision', () => {
  it('name limit, rest and time of one window', () => {
    expect(rateLimitHeaders(decision([{ ...minute, name: 'default' }]), NOW)).toEqual({
      'ratelimit-policy': '"default";q=100;w=60',
      ratelimit: '"default";r=42;t=17',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '42',
      'x-ratelimit-reset': '1699999217',
    });
  });

  it('list every window, and name the binding window', () => {
    expect(rateLimitHeaders(decision([hour, minute], minute), NOW)).toEqual({
      'ratelimit-policy': '"default-1h";q=1000;w=3600, "default-1m";q=100;w=60',
      ratelimit: '"default-1h";r=900;t=17, "default-1m";r=42;t=17',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '42',
      'x-ratelimit-reset': '1699999217',
      'x-ratelimit-window': '1m',
    });
  });

  it.each([
    [1, '1'],
    [999, '1'],
    [1000, '1'],
    [1001, '2'],
    [59_500, '60'],
  ])('a denial of %i ms is retried after %s s, rounded up', (retryAfterMs, seconds) => {
    const headers = rateLimitHeaders(decision([minute], { allowed: false, remaining: 0, retryAfterMs }), NOW);
    expect(headers['retry-after']).toBe(seconds);
  });

  it.each([
    [{ ietf: false }, ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']],
    [{ legacy: false }, ['ratelimit-policy', 'ratelimit', 'retry-after']],
    [{ ietf: false, legacy: false }, ['retry-after']],
  ])('%j omits unwanted headers, and never retry-after', (options, names) => {
    const denied = decision([minute], { allowed: false, retryAfterMs: 5 });
    expect(Object.keys(rateLimitHeaders(denied, NOW, options))).toEqual(names);
  });

  it('leave out counts that are unknown', () => {
    const degraded = { degraded: true, source: 'none' } as const;
    expect(rateLimitHeaders(decision([minute], degraded), NOW)).toEqual({});
    expect(rateLimitHeaders(decision([minute], { ...degraded, allowed: false, retryAfterMs: 1000 }), NOW)).toEqual({
      'retry-after': '1',
      'x-rate-limit-fail-closed': 'true',
    });
  });

  it('omit the counts of one instance, and have the time to return', () => {
    const local = { degraded: true, source: 'local' } as const;
    expect(rateLimitHeaders(decision([minute], local), NOW)).toEqual({});
    expect(rateLimitHeaders(decision([minute], { ...local, allowed: false, retryAfterMs: 1500 }), NOW)).toEqual({
      'retry-after': '2',
    });
  });

  it.each([
    [100, '100ms'],
    [30_000, '30s'],
    [90_000, '90s'],
    [7_200_000, '2h'],
    [86_400_000, '1d'],
  ])('a window of %i ms is called %s', (windowMs, label) => {
    expect(rateLimitHeaders(decision([hour, minute], { windowMs }), NOW)['x-ratelimit-window']).toBe(label);
  });

  it('a window under a second is rounded up to a second, and a past window is over', () => {
    const short = { ...minute, name: 'x', windowMs: 200, resetsAt: new Date(NOW.getTime() - 1) };
    expect(rateLimitHeaders(decision([short]), NOW)).toMatchObject({
      'ratelimit-policy': '"x";q=100;w=1',
      ratelimit: '"x";r=42;t=0',
    });
  });
});
