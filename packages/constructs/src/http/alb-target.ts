import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type ApplicationLoadBalancer, CfnTargetGroup } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { defineProps, thing } from '../internal/props.js';
import { invokedByDoor } from '../internal/targets.js';
import type { CatchAllOptions, ContainerKind, DoorManifestSettings, DoorRoute, IHttpDoor } from './door.js';
import { warnBuffered } from './internal/buffered.js';
import { fnProp } from './internal/props.js';

/** Props of {@link AlbTarget}. */
export interface AlbTargetProps {
  /** The function that answers. */
  readonly fn: IFunction;
  /**
   * The load balancer, for the alarm of answers of 500 or more: its metric contains the name of the load balancer.
   *
   * @default - the alarm counts only failed invocations and answers that the load balancer cannot use
   */
  readonly loadBalancer?: ApplicationLoadBalancer;
}

/** Validators and defaults for {@link AlbTargetProps}. */
export const ALB_TARGET_PROPS = defineProps<AlbTargetProps>('AlbTarget')({
  fn: fnProp.required(),
  loadBalancer: thing<ApplicationLoadBalancer>('a load balancer', 'loadBalancerFullName'),
});

/**
 * A function as the target of an Application Load Balancer, with multi-value headers. You create the listener and its rules.
 *
 * @example
 * const target = new AlbTarget(this, 'Target', { fn: service.fn });
 * new CfnListenerRule(this, 'Rule', {
 *   actions: [{ type: 'forward', targetGroupArn: target.targetGroupArn }],
 *   conditions: [{ field: 'path-pattern', values: ['/notes*'] }],
 *   listenerArn, priority: 10,
 * });
 */
export class AlbTarget extends Construct implements IHttpDoor {
  /** The target group. */
  readonly targetGroup: CfnTargetGroup;
  /** Its ARN, for a listener or a rule. */
  readonly targetGroupArn: string;
  readonly fn: IFunction;
  readonly doorKind = 'load-balancer';
  readonly canStream = false;
  readonly bufferedTimeout: Duration | undefined = undefined;
  readonly basePath: string | undefined = undefined;
  readonly authenticatesCallers = false;
  readonly authorizer = undefined;
  readonly hasRoutes = false;
  readonly routes: readonly string[] = [];
  readonly url: string | undefined = undefined;
  readonly #loadBalancer: ApplicationLoadBalancer | undefined;

  constructor(scope: Construct, id: string, props: AlbTargetProps) {
    super(scope, id);
    const { loadBalancer, ...given } = ALB_TARGET_PROPS.parse(this, props);
    const fn = invokedByDoor(this, given.fn);
    this.fn = fn;
    this.#loadBalancer = loadBalancer;
    // The permission must exist before the target group, so it cannot name its ARN: it is for the target groups of this account.
    fn.addPermission('Permission', {
      scope: this,
      principal: new ServicePrincipal('elasticloadbalancing.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({
        service: 'elasticloadbalancing',
        resource: 'targetgroup',
        resourceName: '*',
      }),
    });
    this.targetGroup = new CfnTargetGroup(this, 'Resource', {
      targetType: 'lambda',
      targets: [{ id: fn.functionArn }],
      targetGroupAttributes: [{ key: 'lambda.multi_value_headers.enabled', value: 'true' }],
    });
    this.targetGroup.node.addDependency(this.node.findChild('Permission'));
    this.targetGroupArn = this.targetGroup.ref;
  }

  /**
   * @internal
   * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html
   */
  serverErrors(): IMetric {
    const TargetGroup = this.targetGroup.attrTargetGroupFullName;
    const balancer = this.#loadBalancer;
    return new Metric({
      namespace: 'AWS/ApplicationELB',
      metricName: balancer ? 'HTTPCode_Target_5XX_Count' : 'LambdaUserError',
      dimensionsMap: { TargetGroup, ...(balancer && { LoadBalancer: balancer.loadBalancerFullName }) },
    });
  }

  /** @internal */
  manifestSettings(): DoorManifestSettings {
    return { multiValueHeaders: true };
  }

  addRoutes(routes: readonly DoorRoute[]): void {
    this.addCatchAll({ streaming: routes.some(({ streaming }) => streaming === true) });
  }

  /** A load balancer buffers: streaming routes get a warning, `Sallyport::StreamingBuffered`. */
  addCatchAll({ streaming = false }: CatchAllOptions = {}): void {
    if (streaming) warnBuffered(this, 'a route');
  }

  /** Does nothing: the listener controls access to the function. */
  attachContainer(_kind: ContainerKind): void {}
}
