export const alerts = { alerts: { nav: 'Alerts', title: 'Alerts' } }
