import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/internal/config/load.js';
import { readDeployment } from '../src/internal/deployed/read.js';
import { readSourceSettings } from '../src/internal/sources/settings.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-deployed-'));
  write('package.json', '{}');
  write('src/lambda.ts', '');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): string {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  return join(folder, file);
}

const SAM = `
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  Size: { Type: Number, Default: 512 }
  Retries: { Type: Number }
Globals:
  Function: { Runtime: nodejs22.x, Timeout: 15 }
  Api: { BinaryMediaTypes: [image~1png] }
Resources:
  Notes:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: src/
      Handler: lambda.main
      MemorySize: !Ref Size
      Environment:
        Variables:
          FRAMEWORK_EVENT_SOURCES: !Sub '{"queue":{"orders":"\${Orders.Arn}"}}'
      Events:
        Read: { Type: HttpApi, Properties: { ApiId: !Ref Http, Path: '/notes/{id}', Method: get } }
        Open: { Type: HttpApi, Properties: { ApiId: !Ref Http, Path: /health, Method: GET, Auth: { Authorizer: NONE } } }
        Rest: { Type: Api, Properties: { Path: '/files/{path+}', Method: any } }
        Orders:
          Type: SQS
          Properties:
            Queue: !GetAtt Orders.Arn
            BatchSize: 5
            MaximumBatchingWindowInSeconds: 2
            FunctionResponseTypes: [ReportBatchItemFailures]
            FilterCriteria: { Filters: [{ Pattern: '{"body":{"state":["paid"]}}' }] }
            ScalingConfig: { MaximumConcurrency: 4 }
        Changes:
          Type: DynamoDB
          Properties: { Stream: !GetAtt Table.StreamArn, StartingPosition: LATEST, MaximumRetryAttempts: !Ref Retries }
        News: { Type: SNS, Properties: { Topic: !Ref Topic, FilterPolicy: { place: [home] } } }
        Paid: { Type: EventBridgeRule, Properties: { Pattern: { source: [billing] } } }
        Nightly: { Type: Schedule, Properties: { Schedule: rate(1 day) } }
  Http:
    Type: AWS::Serverless::HttpApi
    Properties:
      StageName: v1
      Auth:
        DefaultAuthorizer: Users
        Authorizers:
          Users:
            JwtConfiguration: { issuer: https://issuer.example, audience: [notes] }
            AuthorizationScopes: [notes:read]
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 90
      RedrivePolicy: { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5 }
  Dead: { Type: AWS::SQS::Queue }
  Table: { Type: AWS::DynamoDB::Table, Properties: { TableName: notes } }
  Topic: { Type: AWS::SNS::Topic, Properties: { TopicName: news } }
`;

const NOTES = {
  name: 'Notes',
  handler: 'main',
  runtime: 'nodejs22.x',
  timeoutMs: 15_000,
  memoryMb: 512,
  sources: [
    {
      kind: 'queue',
      name: 'orders',
      settings: {
        batchSize: 5,
        maximumBatchingWindowMs: 2_000,
        reportBatchItemFailures: true,
        filters: [{ body: { state: ['paid'] } }],
        invocations: 4,
        visibilityTimeoutMs: 90_000,
        maxReceiveCount: 5,
      },
    },
    { kind: 'table-stream', name: 'notes', settings: { reportBatchItemFailures: false } },
    { kind: 'topic', name: 'news', settings: { filterPolicy: { place: ['home'] } } },
    { kind: 'event-bus', name: 'default', pattern: { source: ['billing'] }, settings: {} },
    { kind: 'schedule', name: 'Nightly', expression: 'rate(1 day)', settings: {} },
  ],
  doors: [
    {
      kind: 'http-api',
      routes: ['GET /notes/{id}', 'GET /health'],
      stage: 'v1',
      jwt: { 'GET /notes/{id}': { issuer: 'https://issuer.example', audience: ['notes'], scopes: ['notes:read'] } },
    },
    { kind: 'rest-api', routes: ['ANY /files/{path+}'], binaryMediaTypes: ['image/png'], stage: 'Prod' },
  ],
};

test('a SAM template states the settings of a function, its sources and its doors', () => {
  const { format, functions } = readDeployment(write('template.yaml', SAM), folder);
  expect(format).toBe('SAM template');
  expect(functions).toEqual([{ ...NOTES, entries: expect.arrayContaining(['src/lambda.ts', 'src/lambda.mjs']) }]);
});

test('a function without limits has those of Lambda, and a CloudFormation mapping is a source', () => {
  const text = JSON.stringify({
    Resources: {
      Jobs: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'nodejs24.x', Handler: 'src/lambda.handler' } },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { FunctionName: { Ref: 'Jobs' }, EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
      },
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'jobs' } },
    },
  });
  const { functions } = readDeployment(write('template.json', text), folder);
  expect(functions).toMatchObject([
    {
      timeoutMs: 3000,
      memoryMb: 128,
      doors: [],
      sources: [{ kind: 'queue', name: 'jobs', settings: { reportBatchItemFailures: false } }],
    },
  ]);
});

test('esbuild metadata name the entry of a function', () => {
  const { functions } = readDeployment(
    write(
      'template.yaml',
      `
Resources:
  Notes:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: esbuild, BuildProperties: { EntryPoints: [src/lambda.ts] } }
    Properties: { Runtime: nodejs24.x, CodeUri: ., Handler: lambda.handler, FunctionUrlConfig: { AuthType: NONE } }
`,
    ),
    folder,
  );
  expect(functions).toMatchObject([{ entries: ['src/lambda.ts'], doors: [{ kind: 'function-url', routes: [] }] }]);
});

test('the template that sallyport manifest --sam prints is read', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/deploy-sam.md', import.meta.url)), 'utf8');
  const [, text = ''] = /<!-- deployment: sam-manifest -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { functions } = readDeployment(write('template.yaml', text), folder);
  expect(functions).toMatchObject([
    {
      name: 'Service',
      runtime: 'nodejs24.x',
      timeoutMs: 15_000,
      memoryMb: 512,
      sources: [
        {
          kind: 'queue',
          name: 'orders',
          settings: { reportBatchItemFailures: true, visibilityTimeoutMs: 90_000, maxReceiveCount: 5 },
        },
      ],
      doors: [{ kind: 'http-api', routes: ['$default'] }],
    },
  ]);
});

/** A plan in the format of `terraform show -json`: names that exist only after `apply` are in the references of the configuration. */
const resource = (address: string, values: object) => {
  const [type, name] = address.split('.');
  return { address, mode: 'managed', type, name, values };
};
const configured = (address: string, references: Record<string, string[]>) => ({
  address,
  mode: 'managed',
  expressions: Object.fromEntries(Object.entries(references).map(([name, list]) => [name, { references: list }])),
});
const PLAN = {
  format_version: '1.2',
  terraform_version: '1.11.0',
  planned_values: {
    root_module: {
      resources: [
        resource('aws_lambda_function.notes', {
          function_name: 'notes',
          handler: 'src/lambda.main',
          runtime: 'nodejs22.x',
          timeout: 15,
          memory_size: 512,
        }),
        resource('aws_apigatewayv2_api.http', { protocol_type: 'HTTP' }),
        resource('aws_apigatewayv2_integration.http', {}),
        resource('aws_apigatewayv2_route.read', { route_key: 'GET /notes/{id}', authorization_scopes: ['notes:read'] }),
        resource('aws_apigatewayv2_route.health', { route_key: 'GET /health' }),
        resource('aws_apigatewayv2_authorizer.users', {
          jwt_configuration: [{ issuer: 'https://issuer.example', audience: ['notes'] }],
        }),
        resource('aws_apigatewayv2_stage.http', { name: 'v1' }),
        resource('aws_api_gateway_rest_api.rest', { binary_media_types: ['image/png'] }),
        resource('aws_api_gateway_resource.files', { path_part: 'files' }),
        resource('aws_api_gateway_resource.path', { path_part: '{path+}' }),
        resource('aws_api_gateway_method.path', { http_method: 'ANY' }),
        resource('aws_api_gateway_integration.path', { http_method: 'ANY' }),
        resource('aws_api_gateway_stage.rest', { stage_name: 'Prod' }),
        resource('aws_cloudwatch_event_rule.nightly', { name: 'Nightly', schedule_expression: 'rate(1 day)' }),
        resource('aws_cloudwatch_event_target.nightly', {}),
      ],
      child_modules: [
        {
          address: 'module.jobs[0]',
          resources: [
            resource('module.jobs[0].aws_lambda_function.jobs', { handler: 'jobs.handler', runtime: 'nodejs22.x' }),
            resource('module.jobs[0].aws_sqs_queue.orders["a"]', {
              name: 'orders',
              visibility_timeout_seconds: 90,
              redrive_policy: '{"maxReceiveCount":5}',
            }),
            resource('module.jobs[0].aws_lambda_event_source_mapping.orders', {
              batch_size: 5,
              maximum_batching_window_in_seconds: 2,
              function_response_types: ['ReportBatchItemFailures'],
              filter_criteria: [{ filter: [{ pattern: '{"body":{"state":["paid"]}}' }] }],
              scaling_config: [{ maximum_concurrency: 4 }],
              maximum_retry_attempts: -1,
            }),
          ].map((one) => ({ ...one, type: /(aws_\w+)\./.exec(one.address)?.[1] })),
        },
      ],
    },
  },
  configuration: {
    root_module: {
      resources: [
        configured('aws_apigatewayv2_integration.http', {
          api_id: ['aws_apigatewayv2_api.http.id', 'aws_apigatewayv2_api.http'],
          integration_uri: ['aws_lambda_function.notes.invoke_arn'],
        }),
        configured('aws_apigatewayv2_route.read', {
          api_id: ['aws_apigatewayv2_api.http.id'],
          target: ['aws_apigatewayv2_integration.http.id'],
          authorizer_id: ['aws_apigatewayv2_authorizer.users.id'],
        }),
        configured('aws_apigatewayv2_route.health', {
          api_id: ['aws_apigatewayv2_api.http.id'],
          target: ['aws_apigatewayv2_integration.http.id'],
        }),
        configured('aws_apigatewayv2_stage.http', { api_id: ['aws_apigatewayv2_api.http.id'] }),
        configured('aws_api_gateway_resource.files', { rest_api_id: ['aws_api_gateway_rest_api.rest.id'] }),
        configured('aws_api_gateway_resource.path', {
          rest_api_id: ['aws_api_gateway_rest_api.rest.id'],
          parent_id: ['aws_api_gateway_resource.files.id'],
        }),
        configured('aws_api_gateway_method.path', {
          rest_api_id: ['aws_api_gateway_rest_api.rest.id'],
          resource_id: ['aws_api_gateway_resource.path.id'],
        }),
        configured('aws_api_gateway_integration.path', {
          rest_api_id: ['aws_api_gateway_rest_api.rest.id'],
          resource_id: ['aws_api_gateway_resource.path.id'],
          uri: ['aws_lambda_function.notes.invoke_arn'],
        }),
        configured('aws_api_gateway_stage.rest', { rest_api_id: ['aws_api_gateway_rest_api.rest.id'] }),
        configured('aws_cloudwatch_event_target.nightly', {
          rule: ['aws_cloudwatch_event_rule.nightly.name'],
          arn: ['aws_lambda_function.notes.arn'],
        }),
      ],
      module_calls: {
        jobs: {
          module: {
            resources: [
              configured('aws_lambda_event_source_mapping.orders', {
                function_name: ['aws_lambda_function.jobs.arn'],
                event_source_arn: ['aws_sqs_queue.orders["a"].arn', 'aws_sqs_queue.orders'],
              }),
            ],
          },
        },
      },
    },
  },
};

test('a Terraform plan states the settings of each function, its sources and its doors', () => {
  const { format, functions } = readDeployment(write('plan.json', JSON.stringify(PLAN)), folder);
  const { sources, doors } = NOTES;
  expect(format).toBe('Terraform plan');
  expect(functions).toEqual([
    {
      ...NOTES,
      name: 'aws_lambda_function.notes',
      functionName: 'notes',
      entries: expect.arrayContaining(['src/lambda.ts']),
      sources: sources.slice(4),
      doors,
    },
    {
      name: 'module.jobs.aws_lambda_function.jobs',
      handler: 'handler',
      runtime: 'nodejs22.x',
      entries: expect.arrayContaining(['jobs.ts']),
      sources: sources.slice(0, 1),
      doors: [],
    },
  ]);
});

describe('a run has the settings of its template', () => {
  const load = (file: object = {}, template = SAM) => {
    write('template.yaml', template);
    write('sallyport.json', JSON.stringify(file));
    return loadConfig(folder, { entry: join(folder, 'src/lambda.ts'), template: 'template.yaml' });
  };

  it('uses its limits, its handler and its audience', () => {
    expect(load()).toMatchObject({ timeoutMs: 15_000, memoryMb: 512, handler: 'main', audiences: ['notes'] });
  });

  it('prefers sallyport.json', () => {
    expect(load({ timeout: 5, handler: 'handler', audiences: ['mine'] })).toMatchObject({
      timeoutMs: 5000,
      memoryMb: 512,
      handler: 'handler',
      audiences: ['mine', 'notes'],
    });
  });

  it('uses the settings of its sources, and sallyport.json member by member', () => {
    expect(readSourceSettings(load({ queues: { orders: { batchSize: 1 } } }))).toMatchObject({
      queues: { orders: { batchSize: 1, reportBatchItemFailures: true, maxReceiveCount: 5 } },
      schedules: { Nightly: { expression: 'rate(1 day)' } },
    });
  });
});

describe('a file that cannot be used is rejected with what to do', () => {
  const one = (name: string, more = '') =>
    `  ${name}:\n    Type: AWS::Serverless::Function\n    Properties: { Handler: src/${name}.handler, Runtime: nodejs24.x${more} }\n`;
  const twice = `Resources:\n${['A', 'B'].map((name) => one(name, ', Events: { Q: { Type: SQS, Properties: { Queue: !GetAtt Orders.Arn } } }')).join('')}  Orders: { Type: AWS::SQS::Queue }\n`;
  it.each<[string, string, string]>([
    ['broken YAML', 'Resources: [\n  a: {', 'template.yaml is not valid YAML or JSON: '],
    ['broken JSON', '{ "Resources": ', 'template.yaml is not valid YAML or JSON: '],
    ['another kind of file', 'name: notes', 'template.yaml must have Resources'],
    ['a list', '- 1', 'template.yaml must have Resources'],
    ['an empty file', '', 'template.yaml must have Resources'],
    ['Terraform code', 'resource "aws_lambda_function" "notes" {\n}', 'is Terraform code: write the plan as JSON'],
    ['a Terraform state', '{"format_version":"1.0","configuration":{}}', 'has no planned_values'],
    ['no function', 'Resources: { Q: { Type: AWS::SQS::Queue } }', 'template.yaml has no Lambda function'],
    [
      'another runtime',
      `Resources:\n${one('notes').replace('nodejs24.x', 'python3.12')}`,
      'the runtime of the function "notes" is python3.12, and sallyport dev runs only Node.js',
    ],
    [
      'a container image',
      'Resources:\n  Notes: { Type: AWS::Serverless::Function, Properties: { PackageType: Image } }',
      'the runtime of the function "Notes" is a container image',
    ],
    [
      'functions of other entries',
      `Resources:\n${one('a')}${one('b')}`,
      'has no function with the entry src/lambda.ts; its functions are a (src/a.ts), b (src/b.ts)',
    ],
    ['a queue with two functions', twice, 'the queue "Orders" has two functions, "A" and "B"'],
  ])('%s', (_title, template, message) => {
    write('template.yaml', template);
    const load = () => loadConfig(folder, { entry: join(folder, 'src/lambda.ts'), template: 'template.yaml' });
    expect(load).toThrow(expect.failure('local.usage', message));
  });

  it('a file that does not exist', () => {
    expect(() => loadConfig(folder, { template: 'nosuch.yaml' })).toThrow(
      expect.failure('local.usage', 'nosuch.yaml does not exist'),
    );
  });
});
