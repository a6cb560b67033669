import { createJudgedServer } from '../judge/fixtures.js';
import { memoryMcpStore } from '../src/index.js';
import { CLIENT_CALLS } from './support/client-calls.js';
import { OFFICIAL_CLIENTS, type Official } from './support/official-clients.js';
import { Rig } from './support/rig.js';

const URL_ = new URL('http://localhost/mcp');

/** The judged server in process; every request meets a fresh engine. */
class JudgedRig extends Rig {
  override server(store = this.store) {
    return createJudgedServer(store ?? memoryMcpStore(), () => {});
  }
}

describe.each(OFFICIAL_CLIENTS)('%s', (_, connect, hasSessions) => {
  describe.each([
    ['buffered', false],
    ['streaming', true],
  ])('at a %s door', (__, streaming) => {
    let rig: JudgedRig;
    let official: Official;

    beforeEach(async () => {
      rig = new JudgedRig({ streaming });
      official = await connect(URL_, rig.fetch);
    });
    afterEach(async () => {
      await official.close();
      expect(rig.violations).toEqual([]);
    });

    it.each(CLIENT_CALLS)('%s', (_, call) => call(official));

    it('ends its session', async () => {
      await official.terminate();
      const deletes = rig.fetched.filter(({ method }) => method === 'DELETE');
      expect(deletes).toEqual(hasSessions ? [{ method: 'DELETE', status: 200 }] : []);
    });

    it('looks for a stream once', async () => {
      await official.callTool('test_simple_text');
      const gets = rig.fetched.filter(({ method }) => method === 'GET');
      expect(gets.length).toBe(hasSessions ? 1 : 0);
    });
  });
});
