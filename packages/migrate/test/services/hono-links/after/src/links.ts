export const links = new Map([['docs', 'https://docs.example/']]);

export function slugOf({ hostname }: URL): string {
  return hostname.split('.')[0] ?? 'link';
}
