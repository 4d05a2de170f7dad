export declare const TEST_PROMETHEUS: string
export declare function findPrometheus(program: 'promtool' | 'prometheus'): string | null
