import { type Official, textOf } from './official-clients.js';

/** Expected results of every official client with the judged server, in process and through every door. */
export const CLIENT_CALLS: readonly (readonly [string, (official: Official) => Promise<void>])[] = [
  [
    'lists',
    async (official) =>
      expect((await official.listTools()).tools.map(({ name }) => name)).toContain('test_simple_text'),
  ],
  ['calls', answers('test_simple_text', {}, 'This is a simple text response for testing.')],
  [
    'gets progress',
    async (official) => {
      const seen: number[] = [];
      await official.callTool('test_tool_with_progress', {}, (progress) => seen.push(progress));
      expect(seen).toEqual([0, 50, 100]);
    },
  ],
  ['is asked for a person', answers('test_elicitation', { message: 'Who?' }, '"username":"ada"')],
  ['is asked for a model', answers('test_sampling', { prompt: 'Hi' }, 'LLM response: sampled')],
  ['is asked for roots', answers('test_input_required_result_list_roots', {}, 'file:///root')],
  ['is asked three things at once', answers('test_input_required_result_multiple_inputs', {}, 'Ada 1')],
  ['is asked twice', answers('test_input_required_result_multi_round', {}, 'Ada likes blue.')],
  ['comes back to a closed stream', answers('test_reconnection', {}, 'Reconnection test completed successfully')],
];

function answers(tool: string, args: object, text: string): (official: Official) => Promise<void> {
  return async (official) => expect(textOf(await official.callTool(tool, args))).toContain(text);
}
