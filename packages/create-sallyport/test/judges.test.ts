/** The CDK's validation engine, cdk-nag and our own checks over the stack of every template, in both stages. */
import { fileURLToPath } from 'node:url';
import { TEMPLATES, type TemplateName } from '../src/internal/templates.js';
import { newProject, runIn } from './support/projects.js';

const SCRIPT = fileURLToPath(new URL('support/judge-stack.ts', import.meta.url));
const NOTHING = { engine: [], own: [], iam: [], nag: [] };
/** Findings with the reason why they are accepted: a service opens its URL only for a closed container, which checks every caller. */
const OPEN_URL = { ...NOTHING, engine: [expect.stringMatching(/^no_open_url ServiceFunctionUrl/)] };
const EXPECTED: Readonly<Partial<Record<TemplateName, object>>> = { mcp: OPEN_URL, full: OPEN_URL };

it.each(Object.keys(TEMPLATES) as TemplateName[])(
  'the stack of the template %s has no finding without a reason, in production and as a preview',
  async (template) => {
    const { status, stdout, stderr } = await runIn(newProject(template), SCRIPT, {});
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    const { production, preview } = JSON.parse(stdout) as Readonly<Record<string, { readonly findings: object }>>;
    const expected = EXPECTED[template] ?? NOTHING;
    expect([production?.findings, preview?.findings]).toEqual([expected, expected]);
  },
  300_000,
);
