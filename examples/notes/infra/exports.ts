import { type ObjectBucket, Service, ServiceQueue, type ServiceStage, Source } from '@sallyport/constructs';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { NotesTable } from './notes-table.js';

/** The function of exports: durable, so an export waits a day for its approval. Another service sends the questions of the queue to their readers. */
export function addExports(scope: Construct, stage: ServiceStage, files: ObjectBucket, notes: NotesTable): void {
  const { queue } = new ServiceQueue(scope, 'Approvals');
  const service = new Service(scope, 'Exports', {
    entry: 'src/exports-lambda.ts',
    conditions: ['@sallyport/source'],
    stage,
    durable: { executionTimeout: Duration.days(2) },
    environment: { NOTES_APPROVALS_QUEUE_URL: queue.queueUrl },
    sources: [Source.topic('note-exports')],
  });
  queue.grant(service.fn, 'sqs:SendMessage');
  notes.bindTo(service.fn, 'read');
  files.bindTo(service.fn as IFunction, { variable: 'NOTES_BUCKET', prefix: 'exports/', read: false });
  Validations.of(service).acknowledge({
    id: 'Sallyport::DurableReplaces',
    reason: 'It is durable since its first deployment.',
  });
}
