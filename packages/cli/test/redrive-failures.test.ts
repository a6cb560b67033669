/** Records and events that `sallyport dev` gave up, in the messages that it writes itself, and a redrive that is killed at each step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { REDRIVE_COMMAND } from '@sallyport/cli/command';
import { build } from 'esbuild';
import { type DevRun, runIn, startDev } from './support/dev.js';
import { type Fault, type FaultProxy, startFaultProxy } from './support/killing-proxy.js';
