export declare const TEST_ELECTRON: string
export declare function findTestElectron(): string | null
