/** Every rename, addition, removal and order of the registrations of the templates, deployed to the model of CloudFormation over the generated stack, and back. */
import type { Verdicts } from '../../constructs/test/lab/index.js';
import { judgeAll } from './support/projects.js';

let judged: Awaited<ReturnType<typeof judgeAll<Verdicts>>>;
beforeAll(async () => {
  judged = await judgeAll('judge-updates.ts');
});

it.each([
  // At least so many edits, of which so many change more than the code.
  ['api', 15, 8],
  ['events', 15, 8],
  ['graphql', 13, 3],
  ['websocket', 13, 3],
  ['mcp', 13, 3],
  ['full', 30, 15],
] as const)(
  'the template %s can be updated to every edit of its registrations and back, and loses no source, policy or data',
  (template, edits, changed) => {
    const { verdicts, again } = judged[template];
    expect(verdicts.filter(({ problems, refused }) => problems.length > 0 || refused !== undefined)).toEqual([]);
    expect(again).toEqual([]);
    expect(verdicts.length).toBeGreaterThanOrEqual(edits);
    expect(verdicts.filter((one) => one.changed).length).toBeGreaterThanOrEqual(changed);
  },
);
