import { ObjectBucket, Service, Source, VectorIndex } from '@sallyport/constructs';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { addExports, createDomain, type NotesStackProps, SERVICE, searchIn, TABLE, uploadsOf } from './settings.js';

/** The whole service: one function, its state, and its triggers. */
export class NotesStack extends Stack {
  constructor(scope: Construct, id: string, { stage, environment, domainName, certificateArn, env }: NotesStackProps) {
    super(scope, id, { ...(env && { env }) });
    const domain = createDomain(this, domainName, certificateArn);
    const attachments = new ObjectBucket(this, 'Attachments', { uploadOrigins: [`https://${domainName}`] });
    const sources = [
      ...['reminders', 'orders', 'ledger.fifo'].map((name) => Source.queue(name)),
      Source.kinesis('clicks'),
      Source.topic('announcements'),
      Source.tableStream('notes', new Table(this, 'Notes', TABLE) as ITable),
      uploadsOf(attachments),
      Source.eventBus({ source: 'billing', detailType: 'InvoicePaid' }),
      Source.schedule('nightly-cleanup', Schedule.cron({ hour: '3', minute: '0' })),
    ];
    const service = new Service(this, 'Service', { ...SERVICE, stage, environment, domain, sources });
    service.doors.graphql?.addField({ parentType: 'Note', field: 'author', batch: true });
    attachments.bindTo(service.fn as IFunction, { variable: 'NOTES_BUCKET', prefix: 'notes/' });
    addExports(this, stage, attachments);
    new VectorIndex(this, 'Search', searchIn(this.region)).bindTo(service.fn as IFunction);
  }
}
