import { createEventRouter } from '@sallyport/streams';
import { change, click, environment, message, notification } from './support.js';

function fulfil() {
  throw new Error('explain runs nothing');
}

describe('explainTarget', () => {
  const router = () =>
    createEventRouter(environment().options)
      .queue('orders', fulfil)
      .queue('bills', () => fulfil())
      .tableStream('notes', fulfil)
      .kinesis('clicks', fulfil)
      .topic('alerts', fulfil)
      .eventBus({ source: 'billing', detailType: 'InvoicePaid' }, fulfil)
      .useEvents(fulfil);

  it('names each source of a batch with its records and its handler', () => {
    const bill = message('b', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:bills' });
    expect(router().explainTarget('queue', { Records: [message('a'), bill, message('c')] })).toEqual({
      sources: [
        { name: 'orders', records: 2, handler: 'fulfil' },
        { name: 'bills', records: 1, handler: '(anonymous)' },
      ],
      handler: 'fulfil',
      posture: null,
      outcome: 'handled',
      projection: 'batch report',
    });
  });

  it('reports that one unregistered source leaves the whole batch without a handler', () => {
    const stranger = message('b', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:other' });
    expect(router().explainTarget('queue', { Records: [message('a'), stranger, null] })).toEqual({
      sources: [
        { name: 'orders', records: 1, handler: 'fulfil' },
        { name: 'other', records: 1, handler: null },
        { name: '', records: 1, handler: null },
      ],
      handler: null,
      posture: null,
      outcome: 'no_handler',
      projection: 'batch report',
    });
  });

  it.each([
    ['table-stream', change('1'), 'notes', 'batch report'],
    ['stream', click('1'), 'clicks', 'batch report'],
    ['topic', notification('1'), 'alerts', 'list of results'],
  ])('explains a %s', (kind, record, name, projection) => {
    expect(router().explainTarget(kind, { Records: [record] })).toEqual({
      sources: [{ name, records: 1, handler: 'fulfil' }],
      handler: 'fulfil',
      posture: null,
      outcome: 'handled',
      projection,
    });
  });

  it('names the selector of an event', () => {
    expect(router().explainTarget('event-bus', { source: 'billing', 'detail-type': 'InvoicePaid' })).toEqual({
      route: 'source=billing detailType=InvoicePaid',
      handler: 'fulfil',
      posture: null,
      outcome: 'handled',
      projection: 'result or null',
    });
    expect(router().explainTarget('event-bus', { source: 'other', 'detail-type': 'x' })).toEqual({
      handler: null,
      posture: null,
      outcome: 'no_handler',
      projection: 'result or null',
    });
  });

  it.each([
    ['queue', null],
    ['stream', {}],
    ['topic', { Records: 5 }],
    ['event-bus', null],
    ['event-bus', 'x'],
  ])('never throws: %s %j', (kind, event) => {
    expect(router().explainTarget(kind, event)).toMatchObject({ handler: null, outcome: 'no_handler' });
  });
});
