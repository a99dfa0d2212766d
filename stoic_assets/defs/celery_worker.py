"""The app of `celery -A stoic_assets.defs.celery_worker worker`, and nothing else: Celery finds it by its name."""

from stoic_assets.defs.celery_runs import worker_app

app = worker_app()
