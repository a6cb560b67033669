/** Judges every edit of the example `notes`. Run in its folder by `scripts/synth.mjs`. */
import { Schedule } from 'aws-cdk-lib/aws-events';
import { App, Duration, Stack } from 'aws-cdk-lib/core';
import { NotesStack } from '../../../../../examples/notes/infra/notes-stack.js';
import { Source } from '../../../src/index.js';
import { applicationIn, withEdit, writeEdited } from './edited-service.js';
import { additionsTo, editsOf } from './edits.js';
import { judgeEdits } from './verdicts.js';

const project = process.cwd();
const environment = {
  NOTES_ISSUER: 'https://issuer.example.com',
  NOTES_AUDIENCE: 'notes',
  NOTES_JWKS_URI: 'https://issuer.example.com/jwks.json',
  NOTES_PUBLIC_URL: 'https://notes.example.com',
};
const application = applicationIn(new Stack(new App(), 'Read'), environment);
const exports = applicationIn(new Stack(new App(), 'ReadExports'), environment, 'src/exports-lambda.ts');
const { inventory } = application;
const EXTERNAL = ['invoke', 'agentcore'];

const additions = additionsTo(
  inventory,
  [
    [{ kind: 'queue', name: 'added' }, () => Source.queue('added')],
    [{ kind: 'stream', name: 'added' }, () => Source.kinesis('added')],
    [{ kind: 'topic', name: 'added' }, () => Source.topic('added')],
    [{ kind: 'event-bus', selector: { source: 'added' } }, () => Source.eventBus({ source: 'added' })],
    [
      { kind: 'event-bus', selector: { ruleName: 'added' } },
      () => Source.schedule('added', Schedule.rate(Duration.hours(1))),
    ],
  ],
  [
    { surface: 'http', method: 'GET', path: '/added' },
    { surface: 'http', method: 'PUT', path: '/notes/{anotherName}/added' },
    { surface: 'websocket', webSocketRouteKey: 'added' },
  ],
);

const verdicts = judgeEdits(
  'Notes',
  (app, edit, folder) => {
    writeEdited(project, folder, edit, application, { 'src/exports-lambda.ts': exports });
    process.chdir(folder);
    withEdit(edit, () => {
      new NotesStack(app, 'Notes', {
        env: { region: 'eu-west-1' },
        stage: 'production',
        environment,
        domainName: 'notes.example.com',
        certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c-5a3b-4d44-9d86-0123456789ab',
      });
    });
    process.chdir(project);
  },
  [...editsOf(inventory, ({ kind }) => !EXTERNAL.includes(kind)), ...additions],
);
process.stdout.write(JSON.stringify(verdicts));
