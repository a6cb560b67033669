import { command, type Output, run } from './support/command.js';
import { createProject, type Project } from './support/run.js';

const SERVICE = `export const handler = async () => ({ statusCode: 200 });`;
const template = (runtime: string) => `Resources:
  Api: { Type: AWS::Serverless::Function, Properties: { Runtime: ${runtime}, Handler: src/lambda.handler } }
`;
const planOf = (runtime: string) =>
  JSON.stringify({
    format_version: '1.2',
    planned_values: {
      root_module: {
        resources: [
          {
            address: 'aws_lambda_function.api',
            type: 'aws_lambda_function',
            mode: 'managed',
            values: { handler: 'src/lambda.handler', runtime },
          },
        ],
      },
    },
    configuration: { root_module: { resources: [] } },
  });
const queueOf = (path: string) => ({
  path,
  entry: 'src/lambda.mjs',
  sources: [{ kind: 'queue', name: 'orders', settings: {} }],
});
const manifestOf = (functions: readonly object[]) => JSON.stringify({ version: 1, functions });

const FILES = {
  'src/lambda.mjs': SERVICE,
  'python.yaml': template('python3.12'),
  'image.yaml': `Resources:\n  Api: { Type: AWS::Serverless::Function, Properties: { PackageType: Image } }\n`,
  'python.json': planOf('python3.12'),
  'broken.yaml': 'Resources: [',
  'main.tf': 'resource "aws_lambda_function" "api" {}\n',
  'python-manifest.json': manifestOf([{ entry: 'src/lambda.mjs', runtime: 'python3.12', sources: [], doors: [] }]),
  'queues.json': manifestOf([queueOf('App/Orders'), queueOf('App/Bills')]),
  'newer.json': '{ "version": 2, "functions": [] }',
  'old.recording.json': JSON.stringify({ schema: 'framework.recorded-event/v0', event: {} }),
  'other.json': '{ "a": 1 }',
};

let project: Project;
beforeAll(() => {
  project = createProject(FILES);
});
afterAll(() => project.remove());

/** Thirteen wrong usages of the commands: each ends with 2 and with the remedy. */
const WRONG: readonly (readonly [args: string, text: string])[] = [
  ['dev --all --template python.yaml', 'python.yaml has no function that can be started: '],
  [
    'dev src/lambda.mjs --template python.yaml',
    'python.yaml: the runtime of the function "Api" is python3.12, and sallyport dev runs only Node.js: name a function with a runtime such as nodejs24.x',
  ],
  [
    'dev src/lambda.mjs --template image.yaml',
    'image.yaml: the runtime of the function "Api" is a container image, and sallyport dev runs only Node.js: ',
  ],
  [
    'dev src/lambda.mjs --template python.json',
    'python.json: the runtime of the function "aws_lambda_function.api" is python3.12, and sallyport dev runs only Node.js: ',
  ],
  [
    'dev src/lambda.mjs --manifest python-manifest.json',
    'python-manifest.json: the runtime of the function "src/lambda.mjs" is python3.12, and sallyport dev runs only Node.js: ',
  ],
  ['dev src/lambda.mjs --template broken.yaml', 'broken.yaml is not valid YAML'],
  ['dev src/lambda.mjs --template main.tf', 'main.tf is Terraform code: write the plan as JSON with terraform plan'],
  [
    'dev --all --manifest queues.json',
    'queues.json: the queue "orders" has two functions, "App/Orders" and "App/Bills": each message would reach one of them; each function needs its own queue',
  ],
  [
    'dev src/lambda.mjs --manifest newer.json',
    'version, got 2, expected 1: update @sallyport/local, or synthesize again',
  ],
  ['dev src/lambda.mjs --manifest nosuch.json', 'the manifest nosuch.json does not exist: run cdk synth'],
  ['dev src/lambda.mjs --strict=yes', '--strict does not accept a value'],
  [
    'replay old.recording.json',
    'old.recording.json: the recording has framework.recorded-event/v0, and this version of sallyport reads framework.recorded-event/v1: record the event again',
  ],
  ['test-run', 'name the files of tests: sallyport test-run test/events.json'],
];

test.each(WRONG)('sallyport %s', async (line, text) => {
  const { code, err, out } = await run(project, line.split(' '));
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(text) });
  expect(err).toMatch(/^sallyport: [^\n]+\n$/);
});

test('the table has thirteen rows', () => {
  expect(WRONG).toHaveLength(13);
});

describe('with a run', () => {
  let end: AbortController;
  let ended: Promise<number>;
  beforeAll(async () => {
    const output: Output = { out: '', err: '' };
    end = new AbortController();
    ended = command(project, ['dev', 'src/lambda.mjs', '--port', '0', '--no-state'], output, '', end);
    while (!output.out.includes('state ')) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  afterAll(async () => {
    end.abort();
    await ended;
  });

  test.each([
    ['replay old.recording.json', 'the recording has framework.recorded-event/v0'],
    ['replay other.json', 'other.json'],
    ['send ques orders', 'ques'],
    ['send http GET', 'an HTTP target must be a method and a path'],
    ['token --sub ada --scop a', 'unknown flag --scop (did you mean "scope"?)'],
  ])('sallyport %s', async (line, text) => {
    const { code, err } = await run(project, line.split(' '));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) });
  });
});
