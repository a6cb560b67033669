/** The CDK's validation engine, cdk-nag and our own checks over the stack of every template, in both stages. */
import type { TemplateName } from '../src/internal/templates.js';
import { judgeAll } from './support/projects.js';

interface Judged {
  readonly findings: object;
  readonly template: { readonly Resources: Readonly<Record<string, { readonly Type: string }>> };
}

let judged: Awaited<ReturnType<typeof judgeAll<Readonly<Record<'production' | 'preview', Judged>>>>>;
beforeAll(async () => {
  judged = await judgeAll('judge-stack.ts');
});

const NOTHING = { engine: [], own: [], iam: [], nag: [] };
/** Findings with the reason why they are accepted: a service opens its URL only for a closed container, which checks every caller. */
const OPEN_URL = { ...NOTHING, engine: [expect.stringMatching(/^no_open_url ServiceFunctionUrl/)] };

const WANTED: readonly (readonly [TemplateName, object, readonly string[]])[] = [
  ['api', NOTHING, ['AWS::ApiGatewayV2::Route']],
  [
    'events',
    NOTHING,
    ['AWS::SQS::Queue', 'AWS::Kinesis::Stream', 'AWS::Events::Rule', 'AWS::Lambda::EventSourceMapping'],
  ],
  ['graphql', NOTHING, ['AWS::AppSync::Resolver']],
  ['websocket', NOTHING, ['AWS::ApiGatewayV2::Route', 'AWS::DynamoDB::Table']],
  ['mcp', OPEN_URL, ['AWS::Lambda::Url']],
  ['full', OPEN_URL, ['AWS::Lambda::Url', 'AWS::ApiGatewayV2::Route', 'AWS::AppSync::Resolver', 'AWS::SQS::Queue']],
];

it.each(WANTED)(
  'the stack of the template %s has no finding without a reason in both stages, and creates its resources',
  (template, findings, types) => {
    const { production, preview } = judged[template];
    expect([production.findings, preview.findings]).toEqual([findings, findings]);
    const made = new Set(Object.values(preview.template.Resources).map(({ Type }) => Type));
    expect(types.filter((type) => !made.has(type))).toEqual([]);
  },
);

it('no stack has a warning', () => {
  expect(/WARNING.*/.exec(judged.stderr)?.[0]).toBeUndefined();
});
