import { connections } from './connections/service.js';
import { dynamodb } from './dynamodb/service.js';
import { eventBridge } from './events/service.js';
import { kinesis } from './kinesis/service.js';
import { lambda } from './lambda/service.js';
import { s3 } from './s3/service.js';
import { appConfigData } from './secrets/flags.js';
import { parameterStore, secretsManager } from './secrets/service.js';
import type { LocalService } from './service.js';
import { sns } from './sns/service.js';
import { sqs } from './sqs/service.js';
import { sts } from './sts/service.js';

/** The services of the local AWS. The port, the sources and their settings are made from this list. */
export const SERVICES = [
  sqs,
  kinesis,
  dynamodb,
  sns,
  eventBridge,
  s3,
  lambda,
  connections,
  sts,
  secretsManager,
  parameterStore,
  appConfigData,
] as const satisfies readonly LocalService[];
