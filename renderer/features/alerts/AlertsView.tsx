export function AlertsView() {
  return null
}
