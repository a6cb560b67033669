/** CloudFront distributions in front of an API. */
export { ChallengeEdge, type ChallengeEdgeProps } from './edge/challenge-edge.js';
