// Made from the catalogue of @sallyport/triggers by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.

/** Events of opt-in triggers: the nearest row, a name, the place of a tag, and the tags. */
export const OPT_IN_SHAPES: readonly (readonly [near: string, name: string, place: string, ...tags: string[]])[] = [
  ['gateway-v1', 'an authorizer request (serve it with a separate function)', 'authorizationToken'],
  ['appsync', 'a Cognito trigger', 'triggerSource'],
  ['event-bus', 'a custom resource request', 'ResponseURL'],
  ['stream', 'a Firehose batch', 'deliveryStreamArn'],
  ['stream', 'a Kafka batch', 'eventSource', 'aws:kafka', 'SelfManagedKafka'],
  ['stream', 'a log subscription (@sallyport/triggers serves it, @sallyport/streams decodes it)', 'awslogs.data'],
  ['queue', 'an S3 notification', 'Records[0].eventSource', 'aws:s3'],
];
