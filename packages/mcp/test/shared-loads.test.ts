import { SharedLoads } from '../src/oauth/internal/shared-loads.js';

const codeOf = (error: { readonly error?: string }) => error.error;

it('loads 100 things of many hosts in a minute, and caches 200', async () => {
  let now = 0;
  let loads = 0;
  const shared = new SharedLoads<number>(600_000, () => now);
  const get = (n: number) =>
    shared
      .get(`${n}`, `host-${n}`, async () => {
        loads += 1;
        return n;
      })
      .catch(codeOf);
  for (let n = 0; n < 100; n += 1) expect(await get(n)).toBe(n);
  expect([await get(100), loads]).toEqual(['temporarily_unavailable', 100]);
  now = 59_999;
  expect(await get(100)).toBe('temporarily_unavailable');
  for (let minute = 1; minute <= 2; minute += 1) {
    now = minute * 60_000;
    for (let n = minute * 100; n < (minute + 1) * 100; n += 1) expect(await get(n)).toBe(n);
  }
  now = 200_000;
  expect([loads, await get(299), await get(100), loads]).toEqual([300, 299, 100, 300]);
  // The first hundred made room.
  expect([await get(0), loads]).toEqual([0, 301]);
});

it('counts again after a clock was set back', async () => {
  let now = 1_000_000;
  const shared = new SharedLoads<string>(0, () => now);
  const get = () => shared.get('a', 'host', async () => 'a').catch(codeOf);
  for (let n = 0; n < 20; n += 1) await get();
  expect(await get()).toBe('temporarily_unavailable');
  now = 0;
  expect(await get()).toBe('a');
});

it('shares a load that fails, and starts a new load when it is allowed', async () => {
  let now = 0;
  let loads = 0;
  const shared = new SharedLoads<string>(1000, () => now);
  const get = () =>
    shared.get('a', 'host', async () => {
      loads += 1;
      throw new Error(`load ${loads}`);
    });
  const errors = await Promise.all([get(), get()].map((loading) => loading.catch((error: Error) => error.message)));
  expect(errors).toEqual(['load 1', 'load 1']);
  await expect(get()).rejects.toThrow('load 1');
  now = 30_000;
  await expect(get()).rejects.toThrow('load 2');
});
