"""The app of `celery -A stoic_assets.defs.celery_worker worker`, and nothing else: Celery finds it by its name."""

import sys

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.defs.celery_runs import worker_app

try:
    app = worker_app()
except ConfigurationError as error:
    sys.exit(str(error))  # Celery would print a traceback
