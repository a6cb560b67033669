import { Service, Source, VectorIndex } from '@sallyport/constructs';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { addExports, createDomain, createState, type NotesStackProps, SERVICE, searchIn } from './settings.js';

/** The whole service: one function, its state, and its triggers. */
export class NotesStack extends Stack {
  constructor(scope: Construct, id: string, { stage, environment, domainName, certificateArn, env }: NotesStackProps) {
    super(scope, id, { ...(env && { env }) });
    const domain = createDomain(this, domainName, certificateArn);
    const { attachments, notes, uploads } = createState(this, domainName);
    const sources = [
      ...['reminders', 'orders', 'ledger.fifo'].map((name) => Source.queue(name)),
      Source.kinesis('clicks'),
      Source.topic('announcements'),
      notes.changes(),
      uploads,
      Source.eventBus({ source: 'billing', detailType: 'InvoicePaid' }),
      Source.schedule('nightly-cleanup', Schedule.cron({ hour: '3', minute: '0' })),
    ];
    const service = new Service(this, 'Service', { ...SERVICE, stage, environment, domain, sources });
    notes.bindTo(service.fn, 'write');
    service.doors.graphql?.addField({ parentType: 'Note', field: 'author', batch: true });
    attachments.bindTo(service.fn as IFunction, { variable: 'NOTES_BUCKET', prefix: 'notes/' });
    addExports(this, stage, attachments, notes);
    new VectorIndex(this, 'Search', searchIn(this.region)).bindTo(service.fn as IFunction);
  }
}
