import { FUNCTIONS } from '../src/functions/index.js';

describe('portable functions', () => {
  it.each(Object.entries(FUNCTIONS))('%s is an export of its package', async (_name, { load, name }) => {
    const module = (await load()) as Record<string, unknown>;
    expect(typeof module[name]).toBe('function');
  });
});
