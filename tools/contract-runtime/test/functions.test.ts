import { FUNCTIONS } from '../src/functions/index.js';
import { TOOL_FUNCTIONS } from '../src/functions/tools.js';

describe('portable functions', () => {
  it.each(Object.entries({ ...FUNCTIONS, ...TOOL_FUNCTIONS }))(
    '%s is an export of its package',
    async (_name, { load, name }) => {
      const module = (await load()) as Record<string, unknown>;
      expect(typeof module[name]).toBe('function');
    },
  );
});
