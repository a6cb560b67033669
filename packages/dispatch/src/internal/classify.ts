// Made from rows.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
import { isObject, isText } from '@sallyport/core/internal';
import { isUrlDomain } from '../rows.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The index of the fixed row that matches an event that is not a list; -1 if no row matches. Each name is read by a literal, which the
 * engine can cache.
 */
export function classify(event: Fields): number {
  const m0 = event.Records;
  if (m0 !== undefined && Object.hasOwn(event, 'Records')) {
    const m0_0 = Array.isArray(m0) && Object.hasOwn(m0, 0) ? m0[0] : undefined;
    const m0_0_eventSource = isObject(m0_0) && Object.hasOwn(m0_0, 'eventSource') ? (m0_0 as Fields).eventSource : undefined;
    if (isObject(m0_0) && m0_0_eventSource === 'aws:sqs') return 0;
    if (isObject(m0_0) && m0_0_eventSource === 'aws:dynamodb') return 1;
    if (isObject(m0_0) && m0_0_eventSource === 'aws:kinesis') return 2;
    if (isObject(m0_0) && isObject(m0_0) && Object.hasOwn(m0_0, 'Sns')) return 3;
    const m0_0_EventSource = isObject(m0_0) && Object.hasOwn(m0_0, 'EventSource') ? (m0_0 as Fields).EventSource : undefined;
    if (isObject(m0_0) && m0_0_EventSource === 'aws:sns') return 3;
  }
  const m1 = event['detail-type'];
  if (m1 !== undefined && Object.hasOwn(event, 'detail-type')) {
    if (typeof m1 === 'string') return 4;
  }
  const m2 = event.detailType;
  if (m2 !== undefined && Object.hasOwn(event, 'detailType')) {
    if (typeof m2 === 'string') return 4;
  }
  const m3 = event.info;
  if (m3 !== undefined && Object.hasOwn(event, 'info')) {
    const m3_fieldName = isObject(m3) && Object.hasOwn(m3, 'fieldName') ? (m3 as Fields).fieldName : undefined;
    const m3_parentTypeName = isObject(m3) && Object.hasOwn(m3, 'parentTypeName') ? (m3 as Fields).parentTypeName : undefined;
    if (isObject(m3) && typeof m3_fieldName === 'string' && isText(m3_fieldName) && typeof m3_parentTypeName === 'string' && isText(m3_parentTypeName) && Object.hasOwn(event, 'arguments')) return 5;
  }
  const m4 = event.requestContext;
  if (m4 !== undefined && Object.hasOwn(event, 'requestContext')) {
    const m4_connectionId = isObject(m4) && Object.hasOwn(m4, 'connectionId') ? (m4 as Fields).connectionId : undefined;
    if (isObject(m4) && typeof m4_connectionId === 'string' && isText(m4_connectionId)) return 6;
    const m4_http = isObject(m4) && Object.hasOwn(m4, 'http') ? (m4 as Fields).http : undefined;
    const m4_domainName = isObject(m4) && Object.hasOwn(m4, 'domainName') ? (m4 as Fields).domainName : undefined;
    if (isObject(m4_http) && Object.hasOwn(event, 'routeKey') && !(typeof m4_domainName === 'string' && m4_domainName.includes('.lambda-url.') && isUrlDomain(m4_domainName))) return 7;
    if (isObject(m4_http) && !(Object.hasOwn(event, 'routeKey'))) return 8;
    if (isObject(m4_http) && typeof m4_domainName === 'string' && m4_domainName.includes('.lambda-url.') && isUrlDomain(m4_domainName)) return 8;
    const m4_elb = isObject(m4) && Object.hasOwn(m4, 'elb') ? (m4 as Fields).elb : undefined;
    const m4_elb_targetGroupArn = isObject(m4_elb) && Object.hasOwn(m4_elb, 'targetGroupArn') ? (m4_elb as Fields).targetGroupArn : undefined;
    if (isObject(m4_elb) && typeof m4_elb_targetGroupArn === 'string' && isText(m4_elb_targetGroupArn)) return 9;
  }
  const m5 = event.httpMethod;
  if (m5 !== undefined && Object.hasOwn(event, 'httpMethod')) {
    if (typeof m5 === 'string' && isText(m5)) return 10;
  }
  return -1;
}
