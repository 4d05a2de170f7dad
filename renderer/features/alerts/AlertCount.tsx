export function AlertCount() {
  return null
}
