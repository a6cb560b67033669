import { type Plan, type PlannedSource, RETENTION_SECONDS, TIMEOUT_SECONDS, VISIBILITY_SECONDS } from './plan.js';

/** `OrderPaid` → `order_paid`. */
const local = ({ id }: PlannedSource) => id.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
const isStream = ({ kind }: PlannedSource) => kind === 'stream' || kind === 'table-stream';

/** The blocks of Terraform for the parts of a deployment. Every name begins with `var.name`, so that two stages fit into one account. */
export function terraformBlocks(plan: Plan): string {
  const { http, sources, others } = plan;
  const blocks = [
    ...others.map((one) => `# Not in these blocks: ${one}`),
    variable('name', 'The name of the service and its stage'),
    variable('alarm_topic_arn', 'Receives the alarms'),
    ...sources.flatMap(variablesOf),
    service(plan),
    ...failures('failures', `\${var.name}-failures`, false, sources),
    ...(http ? [API] : []),
    ...sources.flatMap(blocksOf),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function variable(name: string, description: string, fallback?: string): string {
  return `variable "${name}" {\n  type        = string\n  description = "${description}"${fallback === undefined ? '' : `\n  default     = "${fallback}"`}\n}`;
}

function variablesOf(one: PlannedSource): readonly string[] {
  const { kind, name } = one;
  if (kind === 'schedule') return [variable(`${local(one)}_expression`, `The schedule ${name}`, 'rate(1 day)')];
  if (kind === 'queue' || kind === 'rule') return [];
  return [variable(`${local(one)}_arn`, `The ARN of the ${kind === 'topic' ? 'topic' : 'stream'} ${name}`)];
}

/** Logical to physical names: rules by name, everything else by ARN. */
function eventSources(sources: readonly PlannedSource[]): string | undefined {
  const methods: Readonly<Record<string, readonly [member: string, reference: (one: PlannedSource) => string]>> = {
    queue: ['queue', (one) => `aws_sqs_queue.${local(one)}.arn`],
    stream: ['kinesis', (one) => `var.${local(one)}_arn`],
    'table-stream': ['tableStream', (one) => `var.${local(one)}_arn`],
    topic: ['topic', (one) => `var.${local(one)}_arn`],
    schedule: ['rule', (one) => `"\${var.name}-${local(one)}"`],
  };
  const names = new Map<string, string[]>();
  for (const one of sources) {
    const found = methods[one.kind];
    if (found) names.set(found[0], [...(names.get(found[0]) ?? []), `"${one.name}" = ${found[1](one)}`]);
  }
  if (names.size === 0) return undefined;
  return `jsonencode({ ${[...names].map(([member, all]) => `${member} = { ${all.join(', ')} }`).join(', ')} })`;
}

/** The actions of Lambda on a source, with the role of the function. */
function statementsOf(one: PlannedSource): readonly string[] {
  const actions: Readonly<Record<string, readonly string[]>> = {
    queue: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    stream: [
      'kinesis:DescribeStream',
      'kinesis:DescribeStreamSummary',
      'kinesis:GetRecords',
      'kinesis:GetShardIterator',
      'kinesis:ListShards',
    ],
    'table-stream': [
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    ],
  };
  const found = actions[one.kind];
  if (found === undefined) return [];
  const resource = one.kind === 'queue' ? `aws_sqs_queue.${local(one)}.arn` : `var.${local(one)}_arn`;
  return [`{ Effect = "Allow", Action = ${JSON.stringify(found).replaceAll(',', ', ')}, Resource = ${resource} },`];
}

function service({ sources }: Plan): string {
  const names = eventSources(sources);
  const width = sources.some(isStream) ? 'FRAMEWORK_STREAM_FAILURE_IDENTIFIER'.length : 0;
  const variables = [
    ...(names === undefined ? [] : [`${'FRAMEWORK_EVENT_SOURCES'.padEnd(width)} = ${names}`]),
    ...(sources.some(isStream) ? ['FRAMEWORK_STREAM_FAILURE_IDENTIFIER = "sequenceNumber"'] : []),
  ];
  const environment =
    variables.length === 0
      ? ''
      : `\n  environment {\n    variables = {\n${variables.map((one) => `      ${one}`).join('\n')}\n    }\n  }`;
  const statements = [
    `{ Effect = "Allow", Action = ["logs:CreateLogStream", "logs:PutLogEvents"], Resource = "\${aws_cloudwatch_log_group.service.arn}:*" },`,
    '{ Effect = "Allow", Action = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], Resource = "*" },',
    '{ Effect = "Allow", Action = ["sqs:SendMessage"], Resource = aws_sqs_queue.failures.arn },',
    ...sources.flatMap(statementsOf),
  ];
  return `data "archive_file" "service" {
  type        = "zip"
  source_dir  = "dist"
  output_path = "service.zip"
}

resource "aws_lambda_function" "service" {
  function_name    = var.name
  filename         = data.archive_file.service.output_path
  source_code_hash = data.archive_file.service.output_base64sha256
  handler          = "index.handler"
  runtime          = "nodejs24.x"
  architectures    = ["arm64"]
  memory_size      = 512
  timeout          = ${TIMEOUT_SECONDS}
  role             = aws_iam_role.service.arn
  logging_config {
    log_format = "Text"
    log_group  = aws_cloudwatch_log_group.service.name
  }
  tracing_config {
    mode = "Active"
  }${environment}
}

resource "aws_lambda_function_event_invoke_config" "service" {
  function_name = aws_lambda_function.service.function_name
  destination_config {
    on_failure {
      destination = aws_sqs_queue.failures.arn
    }
  }
}

resource "aws_iam_role" "service" {
  name = var.name
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "lambda.amazonaws.com" } }]
  })
}

resource "aws_iam_role_policy" "service" {
  role = aws_iam_role.service.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
${statements.map((one) => `      ${one}`).join('\n')}
    ]
  })
}

resource "aws_cloudwatch_log_group" "service" {
  name              = "/aws/lambda/\${var.name}"
  retention_in_days = 30
}

${alarm('service_errors', `\${var.name}-errors`, 'AWS/Lambda', 'Errors', 'FunctionName = aws_lambda_function.service.function_name', 'Sum')}`;
}

function alarm(
  id: string,
  name: string,
  namespace: string,
  metric: string,
  dimension: string,
  statistic: string,
): string {
  return `resource "aws_cloudwatch_metric_alarm" "${id}" {
  alarm_name          = "${name}"
  namespace           = "${namespace}"
  metric_name         = "${metric}"
  dimensions          = { ${dimension} }
  statistic           = "${statistic}"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarm_topic_arn]
}`;
}

/** A queue for events that failed, TLS only, with an alarm for its first message. */
function failures(id: string, name: string, fifo: boolean, sources: readonly PlannedSource[]): readonly string[] {
  const senders = sources.some(({ kind }) => ['topic', 'rule', 'schedule'].includes(kind))
    ? `\n      { Effect = "Allow", Principal = { Service = ["sns.amazonaws.com", "events.amazonaws.com"] }, Action = "sqs:SendMessage", Resource = aws_sqs_queue.${id}.arn, Condition = { StringEquals = { "aws:SourceAccount" = data.aws_caller_identity.current.account_id } } },`
    : '';
  return [
    ...(senders === '' ? [] : ['data "aws_caller_identity" "current" {}']),
    `resource "aws_sqs_queue" "${id}" {
  name                      = "${name}${fifo ? '.fifo' : ''}"
  message_retention_seconds = ${RETENTION_SECONDS} # 14 days: a moved message keeps its age
  sqs_managed_sse_enabled   = true${fifo ? '\n  fifo_queue                = true' : ''}
  lifecycle {
    prevent_destroy = true
  }
}`,
    `resource "aws_sqs_queue_policy" "${id}" {
  queue_url = aws_sqs_queue.${id}.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      { Effect = "Deny", Principal = "*", Action = "sqs:*", Resource = aws_sqs_queue.${id}.arn, Condition = { Bool = { "aws:SecureTransport" = "false" } } },${senders}
    ]
  })
}`,
    alarm(
      `${id}_messages`,
      name,
      'AWS/SQS',
      'ApproximateNumberOfMessagesVisible',
      `QueueName = aws_sqs_queue.${id}.name`,
      'Maximum',
    ),
  ];
}

function blocksOf(one: PlannedSource): readonly string[] {
  const { kind, name, fifo, selector } = one;
  const id = local(one);
  if (kind === 'queue') {
    return [
      `resource "aws_sqs_queue" "${id}" {
  name                       = "\${var.name}-${name}"
  visibility_timeout_seconds = ${VISIBILITY_SECONDS} # six times the function timeout
  sqs_managed_sse_enabled    = true${fifo ? '\n  fifo_queue                 = true' : ''}
  redrive_policy             = jsonencode({ deadLetterTargetArn = aws_sqs_queue.${id}_dead.arn, maxReceiveCount = 5 })
  lifecycle {
    prevent_destroy = true
  }
}`,
      mapping(id, `aws_sqs_queue.${id}.arn`, ''),
      ...failures(`${id}_dead`, `\${var.name}-${id}-dead`, fifo, []),
    ];
  }
  if (isStream(one)) {
    return [
      mapping(
        id,
        `var.${id}_arn`,
        `
  starting_position              = "TRIM_HORIZON"
  bisect_batch_on_function_error = true
  maximum_retry_attempts         = 10
  destination_config {
    on_failure {
      destination_arn = aws_sqs_queue.failures.arn
    }
  }`,
      ),
    ];
  }
  if (kind === 'topic') {
    return [
      `resource "aws_sns_topic_subscription" "${id}" {
  topic_arn      = var.${id}_arn
  protocol       = "lambda"
  endpoint       = aws_lambda_function.service.arn
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.failures.arn })
}`,
      permission(id, 'sns.amazonaws.com', `var.${id}_arn`),
    ];
  }
  const { source, detailType } = selector;
  const pattern = `jsonencode({ ${[source && `source = ["${source}"]`, detailType && `"detail-type" = ["${detailType}"]`].filter(Boolean).join(', ')} })`;
  return [
    `resource "aws_cloudwatch_event_rule" "${id}" {
  ${kind === 'rule' ? `name          = "\${var.name}-${id}"\n  event_pattern = ${pattern}` : `name                = "\${var.name}-${id}"\n  schedule_expression = var.${id}_expression`}
}`,
    `resource "aws_cloudwatch_event_target" "${id}" {
  rule = aws_cloudwatch_event_rule.${id}.name
  arn  = aws_lambda_function.service.arn
  dead_letter_config {
    arn = aws_sqs_queue.failures.arn
  }
}`,
    permission(id, 'events.amazonaws.com', `aws_cloudwatch_event_rule.${id}.arn`),
  ];
}

function mapping(id: string, source: string, others: string): string {
  // Aligned as `terraform fmt` does.
  const equals = (member: string) => member.padEnd(others === '' ? 23 : 30);
  return `resource "aws_lambda_event_source_mapping" "${id}" {
  ${equals('event_source_arn')} = ${source}
  ${equals('function_name')} = aws_lambda_function.service.arn
  ${equals('function_response_types')} = ["ReportBatchItemFailures"]${others}
}`;
}

function permission(id: string, principal: string, source: string): string {
  return `resource "aws_lambda_permission" "${id}" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.service.function_name
  principal     = "${principal}"
  source_arn    = ${source}
}`;
}

const API = `resource "aws_apigatewayv2_api" "http" {
  name          = var.name
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_integration" "http" {
  api_id                 = aws_apigatewayv2_api.http.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.service.arn
  payload_format_version = "2.0"
}

resource "aws_apigatewayv2_route" "http" {
  api_id    = aws_apigatewayv2_api.http.id
  route_key = "$default"
  target    = "integrations/\${aws_apigatewayv2_integration.http.id}"
}

resource "aws_cloudwatch_log_group" "http" {
  name              = "/aws/vendedlogs/apigateway/\${var.name}" # all other groups share one policy of limited length
  retention_in_days = 30
}

resource "aws_apigatewayv2_stage" "http" {
  api_id      = aws_apigatewayv2_api.http.id
  name        = "$default"
  auto_deploy = true
  default_route_settings {
    throttling_rate_limit  = 100
    throttling_burst_limit = 200
  }
  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.http.arn
    format          = jsonencode({ requestId = "$context.requestId", status = "$context.status", route = "$context.routeKey" })
  }
}

${permission('http', 'apigateway.amazonaws.com', `"\${aws_apigatewayv2_api.http.execution_arn}/*"`)}

${alarm('http_errors', `\${var.name}-5xx`, 'AWS/ApiGateway', '5xx', 'ApiId = aws_apigatewayv2_api.http.id', 'Sum')}`;
