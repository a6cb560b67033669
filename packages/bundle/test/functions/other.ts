export const handler = async (): Promise<string> => 'the code of another function';
