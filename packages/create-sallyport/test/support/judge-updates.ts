/** Judges every edit of generated projects: `judge-updates.ts <folder> …`. One process loads the CDK once. */
import { pathToFileURL } from 'node:url';
import { Source } from '@sallyport/constructs';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { App, Duration, Stack } from 'aws-cdk-lib/core';
import {
  additionsTo,
  applicationIn,
  editsOf,
  judgeEdits,
  withEdit,
  writeEdited,
} from '../../../constructs/test/lab/index.js';

const env = {
  STAGE: 'production',
  JWT_ISSUER: 'https://issuer.example.com',
  // The audience of the MCP server is its address.
  JWT_AUDIENCE: 'https://mine.example.com/mcp',
  JWT_JWKS_URI: 'https://issuer.example.com/jwks.json',
};
const { STAGE: _stage, ...environment } = env;
async function judge(project: string) {
  process.chdir(project);
  const { createStack } = (await import(pathToFileURL(`${project}/infra/stack.ts`).href)) as {
    readonly createStack: (app: App, env: object) => unknown;
  };
  const application = applicationIn(new Stack(new App(), 'Read'), environment);
  const { inventory } = application;

  const additions = additionsTo(
    inventory,
    [
      [{ kind: 'queue', name: 'added' }, () => Source.queue('added')],
      [{ kind: 'topic', name: 'added' }, () => Source.topic('added')],
      [
        { kind: 'event-bus', selector: { ruleName: 'added' } },
        () => Source.schedule('added', Schedule.rate(Duration.hours(1))),
      ],
    ],
    [
      ...(inventory.routes.some(({ surface }) => surface === 'http')
        ? [{ surface: 'http', method: 'GET', path: '/added' } as const]
        : []),
      ...(inventory.routes.some(({ surface }) => surface === 'websocket')
        ? [{ surface: 'websocket', webSocketRouteKey: 'added' } as const]
        : []),
    ],
  );

  return judgeEdits(
    'Mine',
    (app, edit, folder) => {
      writeEdited(project, folder, edit, application);
      process.chdir(folder);
      withEdit(edit, () => {
        createStack(app, env);
      });
      process.chdir(project);
    },
    [...editsOf(inventory), ...additions],
  );
}

const judged: object[] = [];
for (const folder of process.argv.slice(2)) judged.push(await judge(folder));
process.stdout.write(JSON.stringify(judged));
