// Made from the catalogue of @sallyport/triggers by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.

/** Events of opt-in triggers: the nearest row, a name, the place of a tag, and the tags. */
export const OPT_IN_SHAPES: readonly (readonly [near: string, name: string, place: string, ...tags: string[]])[] = [
  ['gateway-v1', 'an authorizer request (serve it with a separate function)', 'authorizationToken'],
  ['gateway-v1', 'a Bedrock action', 'actionGroup'],
  ['event-bus', 'a CodePipeline job', '["CodePipeline.job"].id'],
  ['appsync', 'a Cognito trigger', 'triggerSource'],
  ['event-bus', 'a Config rule', 'invokingEvent'],
  ['event-bus', 'a Connect flow', 'Name', 'ContactFlowEvent'],
  ['event-bus', 'a custom resource request', 'ResponseURL'],
  ['stream', 'a Firehose batch', 'deliveryStreamArn'],
  ['stream', 'a Kafka batch', 'eventSource', 'aws:kafka', 'SelfManagedKafka'],
  ['appsync', 'a Lex hook', 'invocationSource', 'DialogCodeHook', 'FulfillmentCodeHook'],
  ['stream', 'a log subscription (@sallyport/triggers serves it, @sallyport/streams decodes it)', 'awslogs.data'],
  ['queue', 'an S3 notification', 'Records[0].eventSource', 'aws:s3'],
];
