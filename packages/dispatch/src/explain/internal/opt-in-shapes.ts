// Made from the catalogue of @sallyport/triggers by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.

/** Events of opt-in triggers: the nearest row, a name, the place of a tag, and the tags. */
export const OPT_IN_SHAPES: readonly (readonly [near: string, name: string, place: string, ...tags: string[]])[] = [
  ['queue', 'a request of Alexa', 'context.System.application.applicationId'],
  ['gateway-v1', 'an authorizer request (serve it with a separate function)', 'authorizationToken'],
  ['gateway-v1', 'a Bedrock action', 'actionGroup'],
  ['event-bus', 'a node of a Bedrock flow', 'node.nodeInputs[0].name'],
  ['queue', 'a change of a CodeCommit repository', 'Records[0].eventSource', 'aws:codecommit'],
  ['event-bus', 'a CodeDeploy hook', 'LifecycleEventHookExecutionId'],
  ['event-bus', 'a CodePipeline job', '["CodePipeline.job"].id'],
  ['appsync', 'a Cognito trigger', 'triggerSource'],
  ['event-bus', 'a Config rule', 'invokingEvent'],
  ['event-bus', 'a Connect flow', 'Name', 'ContactFlowEvent'],
  ['event-bus', 'a custom resource request', 'ResponseURL'],
  ['event-bus', 'a record of a Lambda destination', 'requestContext.functionArn'],
  ['stream', 'a Firehose batch', 'deliveryStreamArn'],
  ['event-bus', 'a connection for a custom authorizer of AWS IoT', 'connectionMetadata.id'],
  ['stream', 'a Kafka batch', 'eventSource', 'aws:kafka', 'SelfManagedKafka'],
  ['appsync', 'a Lex hook', 'invocationSource', 'DialogCodeHook', 'FulfillmentCodeHook'],
  ['stream', 'a log subscription (@sallyport/triggers serves it, @sallyport/streams decodes it)', 'awslogs.data'],
  ['queue', 'an S3 notification', 'Records[0].eventSource', 'aws:s3'],
  ['event-bus', 'a sign-in to a Transfer Family server', 'serverId'],
  ['event-bus', 'a custom widget of a dashboard', 'widgetContext.widgetId'],
  ['stream', 'a batch of a tumbling window', 'window.start'],
];
