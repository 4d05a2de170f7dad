export declare function findServer(program: string): string | null
