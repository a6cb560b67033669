import { CodeDeployClient } from '@aws-sdk/client-codedeploy';
import { CodePipelineClient } from '@aws-sdk/client-codepipeline';
import { ConfigServiceClient } from '@aws-sdk/client-config-service';
import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { type ConfigEvaluation, codeDeployHook, codePipelineJob, configRules } from '@sallyport/triggers';
import { buildCodeDeployEvent, buildCodePipelineEvent, buildConfigEvent } from '@sallyport/triggers/testing';
import { AwsServer } from './aws-server.js';

/** AWS's own clients send to this server. */
let server: AwsServer;
beforeEach(() => {
  server = new AwsServer();
});
afterEach(() => server.close());

const pipeline = async () => new CodePipelineClient(await server.options());
const config = async () => new ConfigServiceClient(await server.options());
const boom = () => {
  throw new Error('secret');
};

describe('a job of CodePipeline', () => {
  it.each<[string, unknown, object]>([
    ['nothing', undefined, {}],
    ['variables', { outputVariables: { version: '7' } }, { outputVariables: { version: '7' } }],
    [
      'a token',
      { continuationToken: 'half', summary: 'half done' },
      { continuationToken: 'half', executionDetails: { summary: 'half done' } },
    ],
  ])('receives %s as its success', async (_what, result, sent) => {
    const job = codePipelineJob(() => result as never, { client: await pipeline() });
    await expect(job.handleLambda(buildCodePipelineEvent())).resolves.toBeNull();
    expect(server.received).toEqual([{ operation: 'PutJobSuccessResult', input: { jobId: 'job-1', ...sent } }]);
  });

  it.each<[string, () => unknown, string]>([
    ['an error', boom, 'internal error'],
    ['a FrameworkError', () => Promise.reject(new FrameworkError('app.conflict', 'version exists')), 'version exists'],
    ['a string', () => 'done', 'internal error'],
    ['an HTTP response', () => ({ statusCode: 200 }), 'internal error'],
    ['variables beside a token', () => ({ continuationToken: 'a', outputVariables: {} }), 'internal error'],
  ])('receives %s as its failure', async (_what, handler, message) => {
    const job = codePipelineJob(handler as never, { client: await pipeline() });
    await expect(job.handleLambda(buildCodePipelineEvent())).resolves.toBeNull();
    const failureDetails = { type: 'JobFailed', message };
    expect(server.received).toEqual([{ operation: 'PutJobFailureResult', input: { jobId: 'job-1', failureDetails } }]);
  });

  it('receives its failure at the deadline, once', async () => {
    const env = createTestEnv();
    const job = codePipelineJob(() => new Promise(() => {}), { client: await pipeline() });
    const app = createApp({ ...env.options(), log: false, surfaces: [job] });
    let isSettled = false;
    const running = app
      .handleLambda(buildCodePipelineEvent(), env.lambdaContext({ remainingMs: 9_000 }))
      .finally(() => {
        isSettled = true;
      });
    for (let spent = 0; spent < 8_000 && !isSettled; spent += 100) await env.clock.advance(100);
    await running;
    expect(server.received.map(({ operation }) => operation)).toEqual(['PutJobFailureResult']);
  });

  it('has parsed parameters, its token and credentials that no log shows', async () => {
    const seen: unknown[] = [];
    const job = codePipelineJob(
      (_ctx, { payload, continuationToken, credentials, ...rest }) =>
        void seen.push(payload, continuationToken, credentials().accessKeyId, JSON.stringify(rest).includes('secret')),
      { client: await pipeline() },
    );
    await job.handleLambda(buildCodePipelineEvent({ userParameters: '{"stage":"live"}', continuationToken: 'half' }));
    await job.handleLambda(buildCodePipelineEvent({ userParameters: 'live' }));
    expect(seen).toEqual([{ stage: 'live' }, 'half', 'key', false, 'live', '', 'key', false]);
  });

  it('that cannot receive its result fails the invocation, so that Lambda retries it', async () => {
    server.statuses.push(400);
    const job = codePipelineJob(() => undefined, { client: await pipeline() });
    await expect(job.handleLambda(buildCodePipelineEvent())).rejects.toMatchObject({
      code: 'triggers.response_failed',
      message: 'framework: CodePipeline did not receive the result',
    });
  });
});

describe('an AWS Config rule', () => {
  it('sends the compliance of the changed resource', async () => {
    const rules = configRules({ client: await config() }).rule('encrypted', (_ctx, check) => {
      expect([check.messageType, check.payload, check.leftScope]).toEqual([
        'ConfigurationItemChangeNotification',
        { kms: 'own' },
        false,
      ]);
      return 'NON_COMPLIANT';
    });
    await rules.handleLambda(buildConfigEvent('encrypted', { parameters: { kms: 'own' } }));
    expect(server.received).toEqual([
      {
        operation: 'PutEvaluations',
        input: {
          ResultToken: 'token-1',
          Evaluations: [
            {
              ComplianceResourceType: 'AWS::EC2::Instance',
              ComplianceResourceId: 'i-1',
              ComplianceType: 'NON_COMPLIANT',
              OrderingTimestamp: 0,
            },
          ],
        },
      },
    ]);
  });

  it('sends the list of a schedule in calls of 100', async () => {
    const all = Array.from({ length: 250 }, (_, index): ConfigEvaluation => {
      return { resourceType: 'AWS::S3::Bucket', resourceId: `b-${index}`, compliance: 'COMPLIANT' };
    });
    const rules = configRules({ client: await config() }).rule('nightly', () => all);
    await rules.handleLambda(buildConfigEvent('nightly', { item: null }));
    expect(server.received.map(({ input }) => (input.Evaluations as unknown[]).length)).toEqual([100, 100, 50]);
  });

  it('reads the summary of an oversized change', async () => {
    const summary = {
      resourceType: 'AWS::S3::Bucket',
      resourceId: 'b',
      configurationItemCaptureTime: '2026-01-01T00:00:00Z',
    };
    const messageType = 'OversizedConfigurationItemChangeNotification';
    const invokingEvent = JSON.stringify({ configurationItemSummary: summary, messageType });
    const keys: unknown[] = [];
    const rules = configRules({ client: await config() }).rule('big', (ctx) => {
      keys.push(ctx.eventKey);
      return 'COMPLIANT';
    });
    await rules.handleLambda({ ...buildConfigEvent('big'), invokingEvent });
    expect(server.received[0]?.input).toMatchObject({ Evaluations: [{ ComplianceResourceId: 'b' }] });
    expect(keys).toEqual([
      'arn:aws:config:us-east-1:123456789012:config-rule/config-rule-1|AWS::S3::Bucket/b/2026-01-01T00:00:00Z',
    ]);
  });

  it.each<[string, () => unknown]>([
    ['an unknown compliance', () => 'OK'],
    ['nothing', () => undefined],
    ['an evaluation without resource', () => ({ compliance: 'COMPLIANT' })],
    [
      'a long note',
      () => ({ resourceType: 't', resourceId: 'i', compliance: 'COMPLIANT', annotation: 'x'.repeat(257) }),
    ],
    ['an error', boom],
  ])('sends nothing for %s', async (_what, handler) => {
    const rules = configRules({ client: await config() }).rule('encrypted', handler as never);
    await expect(rules.handleLambda(buildConfigEvent('encrypted'))).rejects.toThrow();
    expect(server.received).toEqual([]);
  });
});

describe('a hook of CodeDeploy', () => {
  it.each<[string, () => unknown, string]>([
    ['nothing', () => undefined, 'Succeeded'],
    ['success', () => 'Succeeded', 'Succeeded'],
    ['failure', () => 'Failed', 'Failed'],
    ['another word', () => 'succeeded', 'Failed'],
    ['true', () => true, 'Failed'],
    ['an error', boom, 'Failed'],
  ])('receives %s as %s', async (_what, handler, status) => {
    const client = new CodeDeployClient(await server.options());
    await codeDeployHook(handler as never, { client }).handleLambda(buildCodeDeployEvent());
    expect(server.received).toEqual([
      {
        operation: 'PutLifecycleEventHookExecutionStatus',
        input: { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'hook-1', status },
      },
    ]);
  });
});

it.each<[string, object]>([
  ['a client without send', { client: {} }],
  ['no time', { timeoutMs: 0 }],
  ['an unknown option', { region: 'a' }],
])('rejects %s', (_what, options) => {
  for (const make of [codePipelineJob, codeDeployHook]) {
    expect(() => make(() => undefined, options as never)).toThrow(expect.failure('app.invalid_configuration'));
  }
  expect(() => configRules(options as never)).toThrow(expect.failure('app.invalid_configuration'));
});
