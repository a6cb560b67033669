import { createJudgedServer } from '../judge/fixtures.js';
import { memoryMcpStore } from '../src/index.js';
import { OFFICIAL_CLIENTS, type Official, textOf } from './support/official-clients.js';
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

    it('lists and calls', async () => {
      expect((await official.listTools()).tools.map(({ name }) => name)).toContain('test_simple_text');
      expect(textOf(await official.callTool('test_simple_text'))).toBe('This is a simple text response for testing.');
    });

    it('gets progress', async () => {
      const seen: number[] = [];
      await official.callTool('test_tool_with_progress', {}, (progress) => seen.push(progress));
      expect(seen).toEqual([0, 50, 100]);
    });

    it('is asked for a person', async () => {
      expect(textOf(await official.callTool('test_elicitation', { message: 'Who?' }))).toContain('"username":"ada"');
    });

    it('is asked for a model', async () => {
      expect(textOf(await official.callTool('test_sampling', { prompt: 'Hi' }))).toBe('LLM response: sampled');
    });

    it('is asked three things at once', async () => {
      expect(textOf(await official.callTool('test_input_required_result_multiple_inputs'))).toContain('Ada 1');
    });

    it('is asked twice', async () => {
      expect(textOf(await official.callTool('test_input_required_result_multi_round'))).toBe('Ada likes blue.');
    });

    it('comes back to a closed stream', async () => {
      expect(textOf(await official.callTool('test_reconnection'))).toBe('Reconnection test completed successfully');
    });

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
