import { isPlainObject } from '@sallyport/core/internal';
import { CfnGatewayTarget } from 'aws-cdk-lib/aws-bedrockagentcore';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { grantOn } from '../internal/grants.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, literal, literalWords, thing, words } from '../internal/props.js';
import { claimSource, invokedBy } from '../internal/targets.js';

/** A gateway and the name of its target. */
export interface AgentCoreMappingProps {
  /** The id or the ARN of the gateway. */
  readonly gatewayIdentifier: string;
  /** The role of the gateway. It may then invoke only one alias of the function. */
  readonly gatewayRole: IRole;
  /**
   * The name of the target: letters, digits and `-`. Agents see `<target>___<tool>`.
   *
   * @default - the `target` of `agentCoreTools(server, { target })`, else `tools`
   */
  readonly targetName?: string;
}

/** A tool, as `toToolSchema(server)` of `@sallyport/mcp/agentcore` describes it. */
export interface AgentCoreTool {
  /** Its name. */
  readonly name: string;
  /** The purpose of the tool. Agents read it. */
  readonly description: string;
  /** The schema of its arguments. */
  readonly inputSchema: object;
  /**
   * The schema of its structured result.
   *
   * @default - none
   */
  readonly outputSchema?: object;
}

/** Props of {@link AgentCoreTarget}. */
export interface AgentCoreTargetProps extends AgentCoreMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The tools. */
  readonly tools: readonly AgentCoreTool[];
}

/** Validators and defaults for {@link AgentCoreTargetProps}. */
export const AGENT_CORE_TARGET_PROPS = defineProps<AgentCoreTargetProps>('AgentCoreTarget')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  gatewayIdentifier: words('the id or the ARN of a gateway').required(),
  gatewayRole: thing<IRole>('the role of the gateway', 'roleArn').required(),
  targetName: literalWords(
    'letters, digits and -, at most 100',
    /^[0-9a-zA-Z](?:[0-9a-zA-Z-]{0,98}[0-9a-zA-Z])?$/,
  ).default('tools'),
  tools: literal<readonly AgentCoreTool[]>('a list of { name, description, inputSchema }', isTools).required(),
});

/**
 * A target of an AgentCore Gateway, for `agentCoreTools()` of `@sallyport/mcp/agentcore`. It contains the tools' schemas inline. The gateway
 * invokes a separate alias, so the ARN of an invocation identifies the gateway.
 *
 * @see https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-add-target-lambda.html
 * @example
 * const tools = toToolSchema(server);
 * new AgentCoreTarget(this, 'Tools', { fn, gatewayIdentifier: gateway.attrGatewayIdentifier, gatewayRole, tools });
 */
export class AgentCoreTarget extends Construct {
  /** The target. */
  readonly target: CfnGatewayTarget;
  /** The alias that the gateway invokes. */
  readonly alias: IFunction;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, two tools of one name, an alias or an imported function;
   *   `constructs.conflict` for a second target of one gateway
   */
  constructor(scope: Construct, id: string, props: AgentCoreTargetProps) {
    super(scope, id);
    const { fn, gatewayIdentifier, gatewayRole, targetName, tools } = AGENT_CORE_TARGET_PROPS.parse(this, props);
    const names = tools.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw misuse(this, { what: 'tools', got: twice, expected: 'each tool once' });
    claimSource(this, fn, gatewayIdentifier, 'gateway');
    this.alias = invokedBy(this, fn, true);
    const granted = grantOn(gatewayRole, ['lambda:InvokeFunction'], [this.alias.functionArn]);
    this.target = new CfnGatewayTarget(this, 'Resource', {
      name: targetName,
      gatewayIdentifier,
      credentialProviderConfigurations: [{ credentialProviderType: 'GATEWAY_IAM_ROLE' }],
      targetConfiguration: {
        mcp: {
          lambda: {
            lambdaArn: this.alias.functionArn,
            toolSchema: {
              inlinePayload: tools.map((tool) => tool as CfnGatewayTarget.ToolDefinitionProperty),
            },
          },
        },
      },
    });
    granted.applyBefore(this.target);
  }
}

function isTools(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((tool: unknown) => {
    if (!isPlainObject(tool)) return false;
    const { name, description, inputSchema, outputSchema } = tool;
    const isNamed = typeof name === 'string' && name !== '' && typeof description === 'string' && description !== '';
    return isNamed && isPlainObject(inputSchema) && (outputSchema === undefined || isPlainObject(outputSchema));
  });
}
