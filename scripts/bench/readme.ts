export function writeReadme(..._x: unknown[]): void {}
