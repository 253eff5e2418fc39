select * exclude (fingerprint)
from {{ ref('int_bias_joint_fitted') }}
