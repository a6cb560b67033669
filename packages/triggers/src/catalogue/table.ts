// Made from the files of this folder by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
import { ALARM } from './alarm.js';
import { ALEXA_SKILL } from './alexa-skill.js';
import { APPSYNC_AUTHORIZER } from './appsync-authorizer.js';
import { APPSYNC_EVENTS } from './appsync-events.js';
import { AUTHORIZER_TOKEN } from './authorizer-token.js';
import { BEDROCK_AGENT } from './bedrock-agent.js';
import { BEDROCK_FLOW } from './bedrock-flow.js';
import { CODECOMMIT } from './codecommit.js';
import { CODEDEPLOY } from './codedeploy.js';
import { CODEPIPELINE } from './codepipeline.js';
import { COGNITO } from './cognito.js';
import { CONFIG_RULE } from './config-rule.js';
import { CONNECT } from './connect.js';
import { CUSTOM_RESOURCE } from './custom-resource.js';
import { DESTINATION } from './destination.js';
import { DOCUMENTDB } from './documentdb.js';
import type { CatalogueEntry } from './entry.js';
import { FIREHOSE } from './firehose.js';
import { INTEGRATION } from './integration.js';
import { INVOKE } from './invoke.js';
import { IOT_AUTHORIZER } from './iot-authorizer.js';
import { IOT_RULE } from './iot-rule.js';
import { KAFKA } from './kafka.js';
import { LATTICE } from './lattice.js';
import { LEX } from './lex.js';
import { LOGS } from './logs.js';
import { MQ } from './mq.js';
import { PIPE } from './pipe.js';
import { S3 } from './s3.js';
import { S3_BATCH } from './s3-batch.js';
import { SECRET_ROTATION } from './secret-rotation.js';
import { SES } from './ses.js';
import { TASK } from './task.js';
import { TRANSFER } from './transfer.js';
import { WIDGET } from './widget.js';
import { WINDOW } from './window.js';

/** The kinds of the triggers of this package. */
export type CatalogueKind =
  | 'alarm'
  | 'alexa-skill'
  | 'appsync-authorizer'
  | 'appsync-events'
  | 'authorizer-token'
  | 'bedrock-agent'
  | 'bedrock-flow'
  | 'codecommit'
  | 'codedeploy'
  | 'codepipeline'
  | 'cognito'
  | 'config-rule'
  | 'connect'
  | 'custom-resource'
  | 'destination'
  | 'documentdb'
  | 'firehose'
  | 'integration'
  | 'invoke'
  | 'iot-authorizer'
  | 'iot-rule'
  | 'kafka'
  | 'lattice'
  | 'lex'
  | 'logs'
  | 'mq'
  | 'pipe'
  | 's3'
  | 's3-batch'
  | 'secret-rotation'
  | 'ses'
  | 'task'
  | 'transfer'
  | 'widget'
  | 'window';

/** Every trigger of this package for tests and tools, by the kind of its events. */
export const CATALOGUE: { readonly [K in CatalogueKind]: CatalogueEntry<K> } = {
  alarm: ALARM,
  'alexa-skill': ALEXA_SKILL,
  'appsync-authorizer': APPSYNC_AUTHORIZER,
  'appsync-events': APPSYNC_EVENTS,
  'authorizer-token': AUTHORIZER_TOKEN,
  'bedrock-agent': BEDROCK_AGENT,
  'bedrock-flow': BEDROCK_FLOW,
  codecommit: CODECOMMIT,
  codedeploy: CODEDEPLOY,
  codepipeline: CODEPIPELINE,
  cognito: COGNITO,
  'config-rule': CONFIG_RULE,
  connect: CONNECT,
  'custom-resource': CUSTOM_RESOURCE,
  destination: DESTINATION,
  documentdb: DOCUMENTDB,
  firehose: FIREHOSE,
  integration: INTEGRATION,
  invoke: INVOKE,
  'iot-authorizer': IOT_AUTHORIZER,
  'iot-rule': IOT_RULE,
  kafka: KAFKA,
  lattice: LATTICE,
  lex: LEX,
  logs: LOGS,
  mq: MQ,
  pipe: PIPE,
  s3: S3,
  's3-batch': S3_BATCH,
  'secret-rotation': SECRET_ROTATION,
  ses: SES,
  task: TASK,
  transfer: TRANSFER,
  widget: WIDGET,
  window: WINDOW,
};
